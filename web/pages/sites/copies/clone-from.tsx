import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { useState } from 'react'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { useObstacle, useRightsPending } from '#web/documents/actions/use-actions.ts'
import { likePattern } from '#web/documents/query/like-pattern.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useDoc, useList } from '#web/lib/api/frappe.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { SuggestInput } from '#web/ui/form/suggest-input.tsx'
import { t } from '../start-from-messages.ts'
import { CloneDialog } from './clone-dialog.tsx'

/** Maximum suggested sites (docs/contracts/screens.md, section 5). */
const maxSuggested = 5

/** Finds a live site by name, then asks in its dialog what its clone is called; the newest ones without a name. */
export function CloneFrom() {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const wanted = useDebounced(text.trim())
  const found = useList('Site', {
    fields: ['name', 'domain', 'title'],
    filters: [['status', '=', 'Live']],
    or_filters:
      wanted === ''
        ? []
        : [
            ['domain', 'like', likePattern(wanted)],
            ['title', 'like', likePattern(wanted)],
          ],
    order_by: wanted === '' ? 'creation desc' : 'domain asc',
    limit: maxSuggested,
  })
  const site = useDoc('Site', chosen)
  const doc = chosen !== null && site.data ? { ...site.data, doctype: 'Site' } : null
  const obstacle = useObstacle(SiteDoctype, doc, 'clone')
  const isPending = useRightsPending(SiteDoctype, doc)
  const isSearching = found.isValidating || wanted !== text.trim()
  return (
    <>
      <Field
        label={t('start.site')}
        hint={t('start.site_hint')}
        error={chosen === null || isPending ? null : (site.error?.message ?? obstacle)}
        className="max-w-md"
      >
        <SuggestInput
          value={text}
          onValue={(next) => {
            setText(next)
            setChosen(null)
          }}
          placeholder={t('start.search')}
          listLabel={t('start.site')}
          suggestions={(found.data ?? []).map(({ name, domain, title }) => ({
            id: name,
            label: siteName({ title, domain }),
            detail: addressBesideName({ title, domain }) ?? undefined,
          }))}
          status={t(isSearching ? 'start.searching' : 'start.no_match')}
          onPick={({ id, label }) => {
            setText(label)
            setChosen(id)
          }}
        />
      </Field>
      {doc && !isPending && obstacle === null ? <CloneDialog site={doc} onClose={() => setChosen(null)} /> : null}
    </>
  )
}
