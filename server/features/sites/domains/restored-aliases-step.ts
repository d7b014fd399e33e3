import type { JobStepDefinition } from '#server/contracts/job.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'

/** A step that says which aliases of a restored site other sites got while it was archived. Its page shows them, too. */
export function restoredAliasesStep(site: string): JobStepDefinition {
  return {
    key: 'aliases',
    label: 'Check its aliases',
    async run(step) {
      const doc = await step.transaction((tx) => tx.get(SiteDoctype, site))
      const aliases = doc?.aliases ?? []
      const taken = aliases.filter((alias) => alias.taken === 1)
      for (const { domain } of taken)
        step.log(`${domain} was given to another site meanwhile, so this site no longer answers under it`)
      if (aliases.length > taken.length) step.log(`It answers under ${aliases.length - taken.length} aliases again`)
    },
  }
}
