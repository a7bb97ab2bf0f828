export { AccountsModule } from './accounts.module.js';
export { AccountsService, type FirstAdmin } from './accounts.service.js';
export { PasswordBody } from './auth.dto.js';
export { AuthService } from './auth.service.js';
export { type BrowserSession, DashboardSessions } from './dashboard-sessions.js';
export { CurrentPerson, ForPeople } from './for-people.js';
export { actorOf, type Caller, Person, type Role } from './person.js';
export { ACCOUNTS_CODES } from './accounts.errors.js';
export { CreateUserBody, UpdateUserBody } from './users.dto.js';
