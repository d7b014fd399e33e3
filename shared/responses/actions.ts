import * as z from 'zod/mini'
import type { Action } from '../doctype.ts'
import { binary, described, nothing, person, timestamp, type ResponseSchema } from '../schema.ts'
import { bulkRows } from './bulk.ts'
import { paymentMethodAdded, planChange, planPreview, setupIntentSecret, subscriptionStatus } from './billing.ts'
import { clonedSite } from './copies.ts'
import { deploymentStarted } from './deployments.ts'
import { connectionCheck } from './connections.ts'
import { invitationLink, invitedConfirmed, listedInvitations } from './invitations.ts'
import { fileComparison } from './file-comparison.ts'
import { storedPackageChecksums } from './package-checksums.ts'
import { filesFolder } from './files-folder.ts'
import { loginAddress, loginLinks, loginProviderTest } from './login-provider.ts'
import { listedMembers, passwordLink, possibleOwners } from './members.ts'
import { databaseRows, databaseTables, databaseValue } from './site-database.ts'
import { consoleRuns, phpResult, sqlResult, sqlUndone, wpResult } from './site-console.ts'
import { dryPush, pushLosses, storedPushPlan } from './push-plan.ts'
import {
  backupComparison,
  backupContents,
  easyengineBackup,
  downloadLink,
  openedBackup,
  startedRestore,
  recoveryKey,
} from './backups.ts'
import { storedImportReport } from './site-imports.ts'
import { addresses, sharedWith, shares } from './sharing.ts'
import { aliasChanged, aliasesChanged, domainChangePreview, dryDomainChange } from './site-domains.ts'
import { siteServices } from './site-services.ts'
import { siteCertificate } from './site-certificates.ts'
import { logChunk, logSources, mailMessage, mailPage } from './site-logs.ts'
import { checkedSite, uptime } from './uptime.ts'
import { serverMetrics } from './server-metrics.ts'
import { serverAlerts } from './server-alerts.ts'
import { serverMonitoring } from './server-monitoring.ts'
import { serverAccessToken, serverCosts } from './servers.ts'
import { openedTerminal, serverTerminals, terminalRecording } from './server-terminals.ts'
import { siteFindings, siteHealth } from './site-findings.ts'
import { wordpressSettings } from './wordpress-settings.ts'
import {
  cronList,
  loginLink,
  newPassword,
  pluginList,
  storedFacts,
  themeList,
  userList,
  wordpressChanged,
  wordpressUsers,
} from './wordpress.ts'
import { uploadedPackage } from './wordpress-packages.ts'
import { wordpressVersions } from './wordpress-core.ts'
import { languageOffers } from './wordpress-languages.ts'
import { storedChecksum } from './wordpress-checksum.ts'
import { wpcBackups, wpcLog, wpcMetrics, wpcSshUsers } from './wpc-sites.ts'
import { fileListing, filesDeleted, filesRestored, fileTaken, fileText, fileTrash, fileWritten } from './site-files.ts'

/**
 * What actions return, by the name that a doctype gives as `returns`. Doctypes only name the schemas because their
 * descriptions are part of the web app, which has no use for a schema.
 */
const actionResponses: Readonly<Record<string, ResponseSchema>> = {
  Addresses: addresses,
  AliasChanged: aliasChanged,
  AliasesChanged: aliasesChanged,
  BulkRows: bulkRows,
  CheckedSite: checkedSite,
  ChecksumReport: storedChecksum,
  ClonedSite: clonedSite,
  DeploymentStarted: deploymentStarted,
  ConnectionCheck: connectionCheck,
  ConsoleRuns: consoleRuns,
  DatabaseRows: databaseRows,
  DatabaseTables: databaseTables,
  DatabaseValue: databaseValue,
  DomainChangePreview: domainChangePreview,
  DomainChange: described(
    z.union([z.object({ job: z.string() }), dryDomainChange]),
    'The job that changes it; of a dry run, what it would replace',
  ),
  BackupStarted: z.object({ name: z.string(), job: z.string() }),
  Download: binary,
  BackupComparison: backupComparison,
  BackupContents: backupContents,
  DownloadLink: downloadLink,
  RecoveryKey: recoveryKey,
  FileComparison: fileComparison,
  FileListing: fileListing,
  FileTaken: fileTaken,
  FileText: fileText,
  FileTrash: fileTrash,
  FileWritten: fileWritten,
  FilesDeleted: filesDeleted,
  FilesFolder: filesFolder,
  FilesRestored: filesRestored,
  ImportReport: storedImportReport,
  InvitationLink: invitationLink,
  InvitedConfirmed: invitedConfirmed,
  InvitationSent: z.object({ expires: z.nullable(timestamp) }),
  Invitations: listedInvitations,
  LogChunk: logChunk,
  LoginAddress: loginAddress,
  LoginLink: loginLink,
  LoginLinks: loginLinks,
  LoginProviderTest: loginProviderTest,
  LogSources: logSources,
  Mail: mailMessage,
  MailPage: mailPage,
  Members: listedMembers,
  Modules: z.object({ ee: z.boolean(), wpc: z.boolean() }),
  MetricsToken: z.object({ token: described(z.string(), 'Shown this one time') }),
  NewPassword: newPassword,
  PasswordLink: passwordLink,
  PushPlan: storedPushPlan,
  PushLosses: pushLosses,
  Nothing: nothing,
  EasyEngineBackup: easyengineBackup,
  OwnedSites: z.object({ sites: described(z.number(), 'How many sites got the owner') }),
  OpenedBackup: openedBackup,
  Owner: z.object({ owner: person }),
  PackageChanged: described(
    z.union([z.object({ job: z.string() }), wordpressChanged]),
    'The job that changes it; automatic updates are changed at once',
  ),
  PackageChecksums: storedPackageChecksums,
  People: possibleOwners,
  PhpResult: phpResult,
  PaymentMethodAdded: paymentMethodAdded,
  PlanChange: planChange,
  PlanPreview: planPreview,
  PreviewLink: z.object({ url: described(z.url(), 'Lets whoever has it see the site; shown this one time') }),
  Refreshed: subscriptionStatus,
  RevealedValue: z.object({ value: described(z.nullable(z.string()), 'In clear; null when it is not set') }),
  ServerAccessToken: serverAccessToken,
  ServerCosts: serverCosts,
  ServerMetrics: serverMetrics,
  ServerAlerts: serverAlerts,
  ServerMonitoring: serverMonitoring,
  ServerTerminals: serverTerminals,
  OpenedTerminal: openedTerminal,
  TerminalRecording: terminalRecording,
  SetupIntent: setupIntentSecret,
  Share: sharedWith,
  Shares: shares,
  SiteBackupStarted: startedRestore,
  SiteCertificate: siteCertificate,
  SiteFindings: siteFindings,
  SiteServices: siteServices,
  SqlResult: sqlResult,
  WpResult: wpResult,
  StagingPush: described(
    z.union([z.object({ job: z.string() }), dryPush]),
    'The job that pushes; of a dry run, what it would do',
  ),
  SqlUndone: sqlUndone,
  UploadedPackage: uploadedPackage,
  Uptime: uptime,
  WordPressSettings: wordpressSettings,
  WordPressChanged: wordpressChanged,
  PluginList: pluginList,
  ThemeList: themeList,
  UserList: userList,
  CronList: cronList,
  SiteHealth: siteHealth,
  WordPressFacts: storedFacts,
  WordPressUsers: wordpressUsers,
  WordPressVersions: wordpressVersions,
  LanguageOffers: languageOffers,
  WpcBackups: wpcBackups,
  WpcLog: wpcLog,
  WpcMetrics: wpcMetrics,
  WpcSshUsers: wpcSshUsers,
}

/** Response schema of an action; undefined if it declares none. Throws if there is no schema of the declared name. */
export function actionResponse({ returns }: Action): ResponseSchema | undefined {
  if (returns === undefined) return undefined
  const schema = Object.hasOwn(actionResponses, returns) ? actionResponses[returns] : undefined
  if (!schema) throw new Error(`shared/responses/actions.ts has no schema ${returns}.`)
  return schema
}
