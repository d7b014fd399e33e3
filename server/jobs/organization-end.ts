import { sql } from 'kysely'
import { controller } from '#server/contracts/controller.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

/** What the jobs' own tables hold of an organization goes with it; its Job documents follow by the organization's deletion. */
export const organizationEnd = controller(OrganizationDoctype, {
  async before_delete(doc, { tx }) {
    for (const table of ['easydash_job_log', 'easydash_job_run']) {
      await sql`delete from ${sql.id(table)} where job in (select name from tab_job where organization = ${doc.name})`.execute(
        tx.trx,
      )
    }
  },
})
