import { useState, type ReactNode } from 'react'
import { siteFileLimits } from '#shared/rules/site-files.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t as common } from '#web/lib/i18n/messages.ts'
import { maxChosen, type ChosenFile } from './dropped-files.ts'
import { shownName } from './file-data.ts'
import { t } from './messages.ts'
import { startUploads } from './upload-store.ts'

/**
 * Uploads files into a folder, and asks first about those whose names are taken there. `names`: the entries of the folder;
 * what is taken further below is found when it arrives.
 */
export function useUploadQuestion(
  site: string,
  folder: string,
  names: ReadonlySet<string>,
): { upload: (files: readonly ChosenFile[]) => void; question: ReactNode } {
  const [asked, setAsked] = useState<readonly ChosenFile[] | null>(null)
  const isTaken = ({ path }: ChosenFile) => names.has(path)
  const begin = (files: readonly ChosenFile[], replace: boolean) =>
    startUploads(
      site,
      folder,
      files.map((file) => ({ ...file, replace: replace && isTaken(file) })),
    )
  const upload = (files: readonly ChosenFile[]) => {
    const fitting = files.filter(({ file }) => file.size <= siteFileLimits.upload)
    if (fitting.length < files.length)
      showToast({ title: t('upload.too_large', { size: formatBytes(siteFileLimits.upload) }), variant: 'warning' })
    else if (files.length >= maxChosen)
      showToast({ title: t('upload.too_many', { most: maxChosen }), variant: 'warning' })
    if (fitting.some(isTaken)) setAsked(fitting)
    else if (fitting.length > 0) begin(fitting, false)
  }
  const taken = (asked ?? []).filter(isTaken)
  const end = (files: readonly ChosenFile[], replace: boolean) => {
    setAsked(null)
    if (files.length > 0) begin(files, replace)
  }
  const question =
    asked === null ? null : (
      <Dialog
        open
        onOpenChange={(open) => {
          if (!open) setAsked(null)
        }}
        title={t('upload.exists_title', { count: taken.length, name: shownName(taken[0]?.path ?? '') })}
        description={t('upload.exists_text', { count: taken.length })}
        footer={
          <>
            <Button onClick={() => setAsked(null)}>{common('common.cancel')}</Button>
            {taken.length < asked.length ? (
              <Button
                onClick={() =>
                  end(
                    asked.filter((file) => !isTaken(file)),
                    false,
                  )
                }
              >
                {t('upload.exists_skip')}
              </Button>
            ) : null}
            <Button variant="primary" onClick={() => end(asked, true)}>
              {t('upload.exists_replace')}
            </Button>
          </>
        }
      >
        <ul className="max-h-48 overflow-y-auto text-table text-muted" translate="no">
          {taken.slice(0, 100).map(({ path }) => (
            <li key={path}>
              <bdi>{shownName(path)}</bdi>
            </li>
          ))}
        </ul>
      </Dialog>
    )
  return { upload, question }
}
