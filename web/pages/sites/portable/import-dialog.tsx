import { useEffect, useRef, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { useNavigate } from 'react-router'
import { importedSite } from '#shared/responses/site-imports.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import { siteNameFromTitle } from '#shared/rules/site-name.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { DatabaseChoice } from '../database-choice.tsx'
import { useEligibleServers } from '../eligible-servers.ts'
import { NewNameField } from '../new-name/new-name-field.tsx'
import { ServerField } from '../server-search.tsx'
import { siteNameProblem } from '../site-form.ts'
import { ArchiveDrop } from './archive-drop.tsx'
import { t } from './messages.ts'
import { useChosenFiles } from './use-chosen-files.ts'

const formId = 'import-site'

/** Uploads an archive, then opens the page of the site that is made of it, with its job's drawer. */
export function ImportDialog({ dropped, onClose }: { dropped: readonly File[]; onClose: () => void }) {
  const { refresh } = useSession()
  const navigate = useNavigate()
  const { files, found, choose } = useChosenFiles()
  const [wasEmpty, setWasEmpty] = useState(false)
  const [sent, setSent] = useState<number | null>(null)
  const controller = useRef<AbortController | null>(null)
  const form = useApiForm({
    defaultValues: { domain: '', server: '', database: 'sqlite' as SiteDatabaseKind },
    send: async ({ domain, server, database }) => {
      setWasEmpty(files.length === 0)
      if (found === null || 'problem' in found) return
      const own = new AbortController()
      controller.current = own
      setSent(0)
      try {
        const file = await oneFile(files, own.signal)
        const { sendUpload } = await import('#web/lib/upload/send-upload.ts')
        const response = await sendUpload(file, {
          metadata: { kind: 'site-import', domain, server, database },
          signal: own.signal,
          onProgress: setSent,
        })
        const made = checkedResult(importedSite, response)
        // The plan's usage changed; the next page doesn't wait for it.
        void refresh()
        onClose()
        void navigate(`/site/${encodeURIComponent(made.site)}?job=${encodeURIComponent(made.job)}`)
      } catch (error) {
        if (!own.signal.aborted) throw toApiError(error)
      } finally {
        setSent(null)
      }
    },
  })
  const server = useWatch({ control: form.control, name: 'server' })
  // Other engines make sites of our own archives only.
  const servers = useEligibleServers(server, 'local')
  const first = servers.found.data?.[0]?.value
  const { setValue } = form
  useEffect(() => {
    if (server === '' && first !== undefined) setValue('server', first)
  }, [server, first, setValue])
  const name = useWatch({ control: form.control, name: 'domain' })
  const database = useWatch({ control: form.control, name: 'database' })

  const take = (more: readonly File[]) => {
    setWasEmpty(false)
    choose(more)
    const [first] = more
    if (first && name === '') form.setValue('domain', siteNameFrom(first.name))
  }
  const taken = useRef(false)
  useEffect(() => {
    if (taken.current || dropped.length === 0) return
    taken.current = true
    take(dropped)
  })
  // Closing the dialog ends the upload.
  useEffect(() => () => controller.current?.abort(new DOMException('Canceled', 'AbortError')), [])

  const problem = wasEmpty ? t('import.no_file') : found && 'problem' in found ? found.problem : null
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && sent === null) onClose()
      }}
      title={t('import.title')}
      description={t('import.hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('import.cancel')}</Button>
          <Button
            type="submit"
            form={formId}
            variant="primary"
            busy={form.busy || (files.length > 0 && found === null)}
          >
            {t('import.confirm')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-4">
        {(problem ?? form.failure) ? (
          <Notice tone="bad" title={t('import.refused')}>
            {problem ?? form.failure}
          </Notice>
        ) : null}
        {sent === null ? (
          <ArchiveDrop files={files} found={found} onFiles={take} />
        ) : (
          <Sending files={files} sent={sent} />
        )}
        <NewNameField
          names="label"
          name={name}
          error={form.errorOf('domain')}
          field={form.register('domain', { validate: (text) => siteNameProblem(text, 'label') ?? true })}
          onName={(text) => {
            form.clearErrors('domain')
            form.setValue('domain', text)
          }}
        />
        <DatabaseChoice
          server={server}
          chosen={database}
          error={form.errorOf('database')}
          onChange={(kind) => form.setValue('database', kind)}
        />
        {servers.found.data?.length === 0 && servers.text === '' ? (
          <Notice tone="warn">{t('import.no_server')}</Notice>
        ) : null}
        <ServerField
          label={t('import.server')}
          error={form.errorOf('server')}
          servers={servers}
          value={server}
          field={form.register('server')}
        />
      </form>
    </Dialog>
  )
}

/** The file that is uploaded: several become one archive. */
async function oneFile(files: readonly File[], signal: AbortSignal): Promise<File> {
  const [first] = files
  if (first === undefined) throw new Error('No file was chosen.')
  if (files.length === 1) return first
  const { packFiles } = await import('#web/lib/upload/pack-files.ts')
  return packFiles(files, `${withoutEnding(first.name)}.zip`, signal)
}

const withoutEnding = (name: string): string => name.replace(/(?:\.[a-z]{1,10}){1,3}$/i, '')

/** Times and codes that UpdraftPlus, Duplicator and All-in-One WP Migration put around the name of a site. */
const around =
  /^backup_[\d-]{1,20}_|_[0-9a-f]{12}-[a-z-]{1,12}\d{0,4}$|^\d{8}_|_[0-9a-f]{7,20}_\d{14}_archive$|-\d{8}-\d{4,6}-\w{3,12}$/gi

function siteNameFrom(fileName: string): string {
  return siteNameFromTitle(withoutEnding(fileName).replaceAll(around, ''))
}

/** How much has arrived. */
function Sending({ files, sent }: { files: readonly File[]; sent: number }) {
  const size = files.reduce((total, file) => total + file.size, 0)
  const share = sent / size
  return (
    <div className="grid gap-2 text-table">
      <p className="flex flex-wrap gap-x-3">
        <bdi translate="no" className="min-w-0 flex-1 basis-40 truncate font-medium">
          {files[0]?.name}
        </bdi>
        <span role="status" className="text-muted">
          {share >= 1
            ? t('import.checking')
            : t('import.sending', { percent: formatPercent(share * 100), size: formatBytes(size) })}
        </span>
      </p>
      <progress className="h-1 w-full" aria-label={t('import.progress')} max={size} value={Math.min(sent, size)} />
      <p className="text-meta text-muted">{t('import.keep_open')}</p>
    </div>
  )
}
