import type { Activity } from './activity.ts'
import type { ApiToken } from './api-token.ts'
import type { BillingProfile } from './billing-profile.ts'
import type { BulkRun } from './bulk-run.ts'
import type { DocShare } from './doc-share.ts'
import type { StoredFile } from './file.ts'
import type { Job } from './job.ts'
import type { MemberInvite } from './member-invite.ts'
import type { OrganizationMember } from './organization-member.ts'
import type { Organization } from './organization.ts'
import type { PlanDoc } from './plan.ts'
import type { PlatformSettings } from './platform-settings.ts'
import type { SavedView } from './saved-view.ts'
import type { Server } from './server.ts'
import type { SiteQuotaDoc } from './site-quota.ts'
import type { Site } from './site.ts'
import type { SshKey } from './ssh-key.ts'
import type { Subscription } from './subscription-organization.ts'
import type { UserMeta } from './user-meta.ts'
import type { User } from './user.ts'

/** The document type of each doctype, by the doctype's name in the API. */
interface DocumentTypes {
  Activity: Activity
  'API Token': ApiToken
  'Billing Profile': BillingProfile
  'Bulk Run': BulkRun
  DocShare: DocShare
  File: StoredFile
  Job: Job
  'Member Invite': MemberInvite
  Organization: Organization
  'Organization Member': OrganizationMember
  Plan: PlanDoc
  'Platform Settings': PlatformSettings
  'Saved View': SavedView
  Server: Server
  Site: Site
  'Site Quota': SiteQuotaDoc
  'SSH Key': SshKey
  'Subscription Organization': Subscription
  User: User
  'User Meta': UserMeta
}

/** Name of a doctype in the API. */
export type DoctypeName = keyof DocumentTypes

/** A document of the doctype with this name, e.g. `DocumentOf<'Site'>`. Imported as a type only, it adds no page weight. */
export type DocumentOf<D extends DoctypeName> = DocumentTypes[D]
