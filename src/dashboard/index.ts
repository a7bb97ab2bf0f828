export { csvCell, harmlessText } from './csv.js';
export { DashboardModule } from './dashboard.module.js';
export {
  type FieldOptions,
  renderField,
  renderFile,
  renderFilter,
  renderForm,
  renderSelect,
} from './forms.js';
export { DashboardPage, PageAction, PageView } from './page.js';
export type { ActionDefinition, InBothLanguages, PageAnswer, PageDefinition } from './page-definition.js';
export { renderCode, renderEmpty, renderMoney, walletName } from './parts.js';
export type { Visit } from './visit.js';
export { WORDS } from './words.js';
