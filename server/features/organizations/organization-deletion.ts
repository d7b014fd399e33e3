import type { Tx } from '#server/contracts/transaction.ts'
import { tenantField, type FilterTriple } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { AppError } from '#shared/errors.ts'
import { plural, msg } from '#shared/localized-message.ts'
import { leaveOrganization } from './current-organization.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { unfinishedJobStatuses } from '#shared/rules/job-statuses.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'

/**
 * Deletes an organization whose row the caller has locked. Throws AppError `invalid` (LinkExistsError) while it has sites,
 * servers or active jobs.
 */
export async function deleteOrganization(tx: Tx, doc: Organization): Promise<void> {
  const organization = doc.name
  const own: FilterTriple[] = [['organization', '=', organization]]
  // Those at WP Cloud would go on, and be billed there.
  const sites = (await tx.count(SiteDoctype, own)) + (await tx.count(WpcSiteDoctype, own))
  const servers = await tx.list(ServerDoctype, own)
  const machines = servers.filter((server) => server.engine !== 'local').length
  const jobs = await tx.count(JobDoctype, [...own, ['status', 'in', unfinishedJobStatuses]])
  const left = [
    ...(sites > 0 ? [plural(sites, msg`${sites} site`, msg`${sites} sites`)] : []),
    ...(machines > 0 ? [plural(machines, msg`${machines} server`, msg`${machines} servers`)] : []),
    ...(jobs > 0 ? [plural(jobs, msg`${jobs} running job`, msg`${jobs} running jobs`)] : []),
  ]
  if (left.length > 0) {
    throw new AppError('invalid', msg`${doc.title} still has ${left}.`, {
      excType: 'LinkExistsError',
      nextAction: msg`Delete sites and servers first, those in the archive, too; wait for running jobs or cancel them.`,
    })
  }
  for (const server of servers) await tx.delete(ServerDoctype, server.name)
  for (const member of doc.members ?? []) await leaveOrganization(tx, member.user, organization)
  await tx.delete(OrganizationDoctype, organization)
}

/** Deletes shares, invitations, finished jobs and other documents of the organization; its activity log stays. */
export async function deleteOrganizationData(tx: Tx, organization: string): Promise<void> {
  for (const type of doctypes) {
    if (type.append_only) continue
    if (tenantField(type) === 'organization') await tx.deleteWhere(type.name, [['organization', '=', organization]])
    else if (type.tenant.kind === 'attachment') {
      // Uses hooks, because a file is more than its row.
      const attached = await tx.list(type.name, [[type.tenant.organization, '=', organization]])
      for (const { name } of attached) await tx.delete(type.name, name, { activity: false })
    }
  }
}
