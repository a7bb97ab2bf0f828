export { DashboardModule } from './dashboard.module.js';
export { type FieldOptions, renderField, renderForm, renderSelect } from './forms.js';
export { DashboardPage, PageAction, PageView } from './page.js';
export type { ActionDefinition, InBothLanguages, PageAnswer, PageDefinition } from './page-definition.js';
export type { Visit } from './visit.js';
