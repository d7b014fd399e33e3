import { ArrowLeft, Download } from 'lucide-react'
import { lazy, Suspense, useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { fileText, fileWritten, type FileText } from '#shared/responses/site-files.ts'
import { isConfiguration, nameOf } from '#shared/rules/site-files.ts'
import { NavigationBlocker } from '#web/documents/form/unsaved-changes-blocker.tsx'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button, buttonStyle } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { downloadAddress, isImage, rereadFolders, saveFiles, shownName } from './file-data.ts'
import { t } from './messages.ts'

const CodeEditor = lazy(() => import('./code-editor.tsx').then((module) => ({ default: module.CodeEditor })))

/** Properties of the editor. */
export interface FileEditorProps {
  readonly site: string
  readonly path: string
  /** It belongs to the database. */
  readonly own: boolean
  /** Its site is WordPress. */
  readonly wordpress: boolean
  /** Why nothing can be changed now; null if it can. */
  readonly locked: string | null
  readonly onClose: () => void
}

/** A file's text as it is now: never from a cache, whose version would be outdated, and only read again when asked. */
function useFileText(site: string, path: string | null) {
  const [round, setRound] = useState(0)
  const [file, setFile] = useState<(FileText & { round: number }) | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  useEffect(() => {
    if (path === null) return
    let isGone = false
    runAction<unknown>('Site', site, 'read_file', { path }).then(
      (answer) => {
        if (!isGone) setFile({ ...checkedResult(fileText, answer), round })
      },
      (thrown: unknown) => {
        if (!isGone) setError(toApiError(thrown))
      },
    )
    return () => {
      isGone = true
    }
  }, [site, path, round])
  const read = () => {
    setError(null)
    setRound((now) => now + 1)
  }
  return { file, error, read }
}

/** One file: its text to edit, a preview of an image, or what else it is. */
export function FileEditor(props: FileEditorProps) {
  const { site, path, onClose } = props
  const name = nameOf(path)
  const image = isImage(name)
  const { file: shown, error, read } = useFileText(site, image ? null : path)
  return (
    <Card className="flex min-h-[420px] flex-col overflow-hidden">
      {image ? (
        <>
          <Head {...props} />
          <div className="grid min-h-0 flex-1 place-items-center bg-sunken p-4">
            <img
              src={downloadAddress(site, [path])}
              alt={t('edit.image', { name: shownName(name) })}
              className="max-h-[60vh] max-w-full object-contain"
            />
          </div>
        </>
      ) : shown ? (
        <TextOrNot key={shown.round} {...props} file={shown} onReload={read} />
      ) : (
        <>
          <Head {...props} />
          <div className="p-4">
            {error ? (
              <ErrorPanel title={t('edit.error_title')} error={error} onRetry={read}>
                <Button size="sm" className="mt-2" onClick={onClose}>
                  {t('edit.back')}
                </Button>
              </ErrorPanel>
            ) : (
              <Skeleton className="h-64 w-full" />
            )}
          </div>
        </>
      )}
    </Card>
  )
}

function Head({ site, path, onClose, children }: FileEditorProps & { children?: ReactNode }) {
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-2 border-b border-hairline px-3 py-1.5">
      <Button size="md" variant="ghost" onClick={onClose}>
        <ArrowLeft size={16} strokeWidth={1.75} aria-hidden="true" />
        {t('edit.back')}
      </Button>
      <h2 className="min-w-0 flex-1 basis-40 truncate font-mono text-table" translate="no" title={shownName(path)}>
        <bdi>{shownName(path)}</bdi>
      </h2>
      {children}
      <a className={buttonStyle({ size: 'md' })} href={downloadAddress(site, [path])} download>
        <Download size={16} strokeWidth={1.75} aria-hidden="true" />
        {t('files.download')}
      </a>
    </div>
  )
}

function TextOrNot(props: FileEditorProps & { file: FileText; onReload: () => void }) {
  const { site, path, file } = props
  if (file.content !== null && file.version !== null)
    return <TextEditor {...props} content={file.content} version={file.version} />
  return (
    <>
      <Head {...props} />
      <EmptyState
        title={formatBytes(file.size)}
        action={<Button onClick={() => saveFiles(site, [path])}>{t('files.download')}</Button>}
      >
        {t('edit.not_text')}
      </EmptyState>
    </>
  )
}

function TextEditor({
  content,
  version,
  onReload,
  ...props
}: FileEditorProps & { content: string; version: string; onReload: () => void }) {
  const { site, path, own, wordpress, locked, onClose } = props
  const [text, setText] = useState(content)
  const [saved, setSaved] = useState({ content, version })
  const [busy, setBusy] = useState(false)
  const [conflict, setConflict] = useState<ApiError | null>(null)
  const [asking, setAsking] = useState<'close' | 'reload' | null>(null)
  const unsaved = text !== saved.content
  const readOnly = own || locked !== null
  const save = async (over?: string) => {
    if (busy || readOnly) return
    setBusy(true)
    try {
      const args = { path, content: text, version: over ?? saved.version }
      const written = checkedResult(fileWritten, await runAction('Site', site, 'write_file', args))
      setSaved({ content: text, version: written.version })
      setConflict(null)
      showToast({ title: t('edit.saved'), description: shownName(path), variant: 'success' })
      void rereadFolders(site)
    } catch (thrown) {
      const error = toApiError(thrown)
      if (error.httpStatus === 409) setConflict(error)
      else showToast({ title: t('edit.save_failed'), description: fullMessage(error), variant: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  const overwrite = async () => {
    const { version: newest } = checkedResult(fileText, await runAction('Site', site, 'read_file', { path }))
    // Deleted, or no text any more: only the server can say what is in the way.
    await save(newest ?? saved.version)
  }
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (text !== saved.content) void save()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
  return (
    <>
      <Head {...props} onClose={() => (unsaved ? setAsking('close') : onClose())}>
        <span role="status" className="text-meta text-muted">
          {unsaved ? t('edit.unsaved') : ''}
        </span>
        {readOnly ? null : (
          <Button size="md" variant="primary" busy={busy} disabled={!unsaved} onClick={() => void save()}>
            {t('edit.save')}
          </Button>
        )}
      </Head>
      {own ? (
        <Notice tone="info" className="rounded-none">
          {t('edit.own')}
        </Notice>
      ) : null}
      {locked === null || own ? null : (
        <Notice tone="info" className="rounded-none">
          {locked}
        </Notice>
      )}
      {wordpress && !readOnly && isConfiguration(path) ? (
        <Notice tone="warn" className="rounded-none">
          {t('edit.config')}
        </Notice>
      ) : null}
      {conflict ? (
        <Notice tone="bad" className="rounded-none" title={t('edit.conflict')}>
          <p>{fullMessage(conflict)}</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button size="sm" onClick={() => setAsking('reload')}>
              {t('edit.reload')}
            </Button>
            <Button size="sm" onClick={() => void overwrite()}>
              {t('edit.overwrite')}
            </Button>
          </div>
        </Notice>
      ) : null}
      <div className="h-[60vh] min-h-72 flex-1">
        <LazyBoundary level="part">
          <Suspense fallback={<Skeleton className="m-4 h-64 w-[calc(100%-32px)]" />}>
            <CodeEditor
              name={nameOf(path)}
              content={content}
              label={t('edit.content', { name: shownName(path) })}
              readOnly={readOnly}
              onChange={setText}
            />
          </Suspense>
        </LazyBoundary>
      </div>
      <NavigationBlocker when={unsaved} onLeave={() => undefined} />
      <AlertDialog
        open={asking !== null}
        onOpenChange={(open) => {
          if (!open) setAsking(null)
        }}
        title={t('edit.reload_title')}
        confirmLabel={t('edit.discard')}
        onConfirm={() => {
          if (asking === 'close') onClose()
          else onReload()
        }}
      >
        {t('edit.reload_text')}
      </AlertDialog>
    </>
  )
}
