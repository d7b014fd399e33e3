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
  const [opened, setOpened] = useState<string | null>(null)
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
  const failure = found.data === undefined ? (found.error?.message ?? null) : null
  // Once open, the dialog stays with what was entered, whatever becomes of the site or the connection: its own button says so.
  if (doc && !isPending && obstacle === null && opened !== chosen) setOpened(chosen)
  const isOpen = chosen !== null && opened === chosen
  const reason = isPending || isOpen ? null : (site.error?.message ?? obstacle)
  return (
    <>
      <Field
        label={t('start.site')}
        hint={t('start.site_hint')}
        error={chosen === null ? failure : reason}
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
          status={isSearching ? t('start.searching') : failure === null ? t('start.no_match') : null}
          onPick={({ id, label }) => {
            setText(label)
            setChosen(id)
          }}
        />
      </Field>
      {doc && isOpen ? (
        <CloneDialog
          site={doc}
          onClose={() => {
            setOpened(null)
            setChosen(null)
          }}
        />
      ) : null}
    </>
  )
}
