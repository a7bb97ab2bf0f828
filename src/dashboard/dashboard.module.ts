import { Global, Module, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccountsModule } from '../accounts/index.js';
import { AuditModule } from '../platform/audit/index.js';
import { MessagesModule, SimulationsModule } from '../inbound/index.js';
import { NotificationsModule } from '../notifications/index.js';
import { PaymentLinksModule } from '../payment-links/index.js';
import { PaymentsModule } from '../payments/index.js';
import { StoresModule } from '../stores/index.js';
import { assetsController } from '../platform/web/assets.controller.js';
import { FormTokens } from './kit/form-tokens.js';
import { ASSETS_BASE, DashboardLayout } from './kit/layout.js';
import { LivePages } from './live/live.js';
import { AccountPage } from './pages/account/account.page.js';
import { SecondFactorPage } from './pages/second-factor/second-factor.page.js';
import { AuditPage, SecurityLogPage } from './pages/audit/audit.page.js';
import { SsoCallbackPage, SsoSignInPage } from './pages/sso/sso.page.js';
import { DeliveriesPage, DeliveryPage } from './pages/deliveries/deliveries.page.js';
import { DevelopersPage } from './pages/developers/developers.page.js';
import { HealthPage } from './pages/health/health.page.js';
import { LinkPage, LinksPage, NewLinkPage } from './pages/links/links.page.js';
import { LivePage } from './live/live.page.js';
import { MemberPage, MembersPage } from './pages/members/members.page.js';
import { MessagePage, MessagesPage } from './pages/messages/messages.page.js';
import { NewStorePage } from './pages/new-store/new-store.page.js';
import { OverviewPage } from './pages/overview/overview.page.js';
import { PaymentPage } from './pages/payment/payment.page.js';
import { PaymentsExportPage } from './pages/payments-export/payments-export.page.js';
import { NewPaymentPage, PaymentsPage } from './pages/payments/payments.page.js';
import { PhonePage } from './pages/phone/phone.page.js';
import { UsersPage, UserPage } from './pages/users/users.page.js';
import { MatchPage } from './pages/receipts/match.page.js';
import { ReceiptPage, ReceiptsPage } from './pages/receipts/receipts.page.js';
import { ReviewPage } from './pages/review/review.page.js';
import { SettingsPage } from './pages/settings/settings.page.js';
import { SignInPage, SignOutPage } from './pages/sign-in/sign-in.page.js';
import { HomePage, StoreList, StoresPage } from './pages/stores/stores.page.js';
import { WalletPage, WalletsPage } from './pages/wallets/wallets.page.js';
import { QrPictures } from './pages/wallets/qr-pictures.js';
import { ReviewCases } from './pages/review/review-cases.js';
import { RootController } from './root.controller.js';

/** Every page, each a file of its own. A page is all that is to be added here; the navigation finds it by itself. */
const PAGES: Type[] = [
  ...[SsoSignInPage, SsoCallbackPage, SecondFactorPage, SecurityLogPage, HealthPage],
  ...[SignInPage, SignOutPage, HomePage, StoresPage, NewStorePage, AccountPage, UsersPage, UserPage],
  ...[
    OverviewPage,
    PaymentsPage,
    NewPaymentPage,
    PaymentPage,
    MatchPage,
    ReviewPage,
    ReceiptsPage,
    ReceiptPage,
  ],
  ...[DeliveriesPage, DeliveryPage, WalletsPage, WalletPage, DevelopersPage, SettingsPage, AuditPage],
  ...[MessagesPage, MessagePage, PhonePage, MembersPage, MemberPage],
  ...[PaymentsExportPage, LivePage, LinksPage, NewLinkPage, LinkPage],
];

/**
 * The merchant's and the admin's pages (contract 10.16). Global, because Nest builds what `@DashboardPage` brings
 * anew in every module that has a page, those of extensions too.
 */
@Global()
@Module({
  imports: [
    ...[DiscoveryModule, AccountsModule, AuditModule, StoresModule],
    ...[PaymentLinksModule, PaymentsModule, MessagesModule, SimulationsModule, NotificationsModule],
  ],
  controllers: [RootController, assetsController(ASSETS_BASE, DashboardLayout), ...PAGES],
  providers: [DashboardLayout, FormTokens, LivePages, QrPictures, ReviewCases, StoreList],
  exports: [DashboardLayout, FormTokens, StoresModule],
})
export class DashboardModule {}
