import { sql } from 'kysely'
import { controller } from '#server/contracts/controller.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

/** Deletes an organization's rows in the jobs' own tables; deleting the organization also deletes its Job documents. */
export const organizationCleanup = controller(OrganizationDoctype, {
  async before_delete(doc, { tx }) {
    for (const table of ['easydash_job_log', 'easydash_job_run']) {
      await sql`delete from ${sql.id(table)} where job in (select name from tab_job where organization = ${doc.name})`.execute(
        tx.trx,
      )
    }
  },
})
