import { RotateCw, X } from 'lucide-react'
import { nameOf } from '#shared/rules/site-files.ts'
import { formatBytes, formatPercent } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { NavigationBlocker } from '#web/documents/form/unsaved-changes-blocker.tsx'
import { shownName } from './file-data.ts'
import { t } from './messages.ts'
import { cancelUpload, clearUploads, isGoing, retryUpload, useUploads, type FileUpload } from './upload-store.ts'

/** Uploads of this many are listed one by one; of more only those that need something. */
const maxListed = 50

/** The uploads of a site, with their progress. */
export function UploadList({ site }: { site: string }) {
  const uploads = useUploads(site)
  if (uploads.length === 0) return null
  const done = uploads.filter(({ state }) => state === 'done').length
  const open = uploads.length > maxListed ? uploads.filter(({ state }) => state !== 'done') : uploads
  return (
    <Card aria-labelledby="uploads-title">
      <CardHead
        id="uploads-title"
        title={t('upload.title')}
        subtitle={<span role="status">{t('upload.summary', { done, count: uploads.length })}</span>}
      >
        {uploads.some(isGoing) ? (
          <Button size="sm" onClick={() => uploads.filter(isGoing).forEach(({ id }) => cancelUpload(id))}>
            {t('upload.cancel')}
          </Button>
        ) : (
          <Button size="sm" variant="ghost" onClick={() => clearUploads(site)}>
            {t('upload.clear')}
          </Button>
        )}
      </CardHead>
      <CardBody>
        <ul className="grid max-h-64 gap-2 overflow-y-auto">
          {open.slice(0, maxListed).map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      </CardBody>
      <NavigationBlocker when={uploads.some(isGoing)} onLeave={() => undefined} />
    </Card>
  )
}

function stateText({ state, sent, file, problem }: FileUpload): string {
  if (state === 'waiting') return t('upload.waiting')
  if (state === 'sending')
    return t('upload.sending', {
      percent: formatPercent(file.size === 0 ? 0 : (sent / file.size) * 100),
      size: formatBytes(file.size),
    })
  if (state === 'done') return t('upload.done')
  return state === 'canceled' ? t('upload.canceled') : (problem ?? t('upload.failed'))
}

function UploadRow({ upload }: { upload: FileUpload }) {
  const { id, state, path, sent, file } = upload
  const name = shownName(nameOf(path))
  const isBad = state === 'failed' || state === 'exists'
  return (
    <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-table">
      <span className="min-w-0 flex-1 basis-40 truncate" title={shownName(path)} translate="no">
        <bdi>{name}</bdi>
      </span>
      <span className={isBad ? 'text-bad' : 'text-muted'}>{stateText(upload)}</span>
      {state === 'exists' ? (
        <Button size="sm" aria-label={t('upload.replace_of', { name })} onClick={() => retryUpload(id, true)}>
          {t('upload.replace')}
        </Button>
      ) : null}
      {state === 'failed' || state === 'canceled' ? (
        <IconButton size="sm" label={t('upload.retry_of', { name })} onClick={() => retryUpload(id)}>
          <RotateCw size={14} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      ) : null}
      {isGoing(upload) ? (
        <IconButton size="sm" label={t('upload.cancel_of', { name })} onClick={() => cancelUpload(id)}>
          <X size={14} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      ) : null}
      {state === 'sending' ? (
        <progress
          className="h-1 w-full"
          aria-label={t('upload.progress', { name })}
          max={Math.max(1, file.size)}
          value={sent}
        />
      ) : null}
    </li>
  )
}
