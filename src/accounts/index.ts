export { AccountsModule } from './accounts.module.js';
export { AccountsService, type FirstAdmin } from './accounts.service.js';
export { CurrentPerson, ForPeople } from './for-people.js';
export { actorOf, type Caller, Person, type Role } from './person.js';
export { ACCOUNTS_CODES } from './accounts.errors.js';
