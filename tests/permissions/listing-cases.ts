import { personOf, subjectOf, type Case } from './cases.ts'
import { expectedOf } from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { everybody } from './people.ts'
import { subjectPlans } from './subjects.ts'
import { call } from './test-context.ts'

/** Actions of an organization that list documents of a doctype. */
const listings: Readonly<Record<string, string>> = {
  list_invitations: 'Member Invite',
  list_members: 'Organization Member',
}

/** Maximum rows of a list; the suite creates more. */
const maxRows = 500

/** An organization's own lists contain the documents the person can read, and none of another organization. */
export function listingCases(matrix: Matrix): Case[] {
  return Object.entries(listings).flatMap(([action, doctype]) =>
    everybody.map((key): Case => ({
      title: `${key} finds exactly the readable rows in ${action} of acme`,
      doctype,
      kind: 'listing',
      async run(context) {
        const response = await call(context, personOf(context, key), 'POST', '/api/method/run_doc_method', {
          dt: 'Organization',
          dn: 'acme',
          method: action,
        })
        if (response.status !== 200) return null
        const isCut = ((response.body['message'] ?? []) as unknown[]).length >= maxRows
        const wrong = subjectPlans
          .filter((plan) => plan.doctype === doctype)
          .filter((plan) => {
            const isListed = plan.attributes.organization === 'acme' && expectedOf(matrix, key, plan, 'R') === 'allowed'
            const isShown = response.text.includes(JSON.stringify(subjectOf(context, plan).name))
            return isShown !== isListed && !(isListed && isCut)
          })
        return wrong.length === 0 ? null : wrong.map((plan) => plan.key).join(' ')
      },
    })),
  )
}
