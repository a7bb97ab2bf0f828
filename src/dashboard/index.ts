export { csvLines, type CsvValue, harmlessText } from './kit/csv.js';
export { DashboardModule } from './dashboard.module.js';
export {
  type FieldOptions,
  renderField,
  renderFile,
  renderFilter,
  renderForm,
  renderSelect,
} from './kit/forms.js';
export { DashboardPage, PageAction, PageView } from './kit/page.js';
export type { ActionDefinition, InBothLanguages, PageAnswer, PageDefinition } from './kit/page-definition.js';
export { renderCode, renderEmpty, renderMoney, walletName } from './kit/parts.js';
export type { Visit } from './kit/visit.js';
export { WORDS } from './kit/words.js';
