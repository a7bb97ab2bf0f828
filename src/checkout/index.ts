export { loadBrand } from './checkout-brand.js';
export { CheckoutModule } from './checkout.module.js';
