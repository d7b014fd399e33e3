import { useRef, useState } from 'react'
import { maxFileSize } from '#shared/doctypes/file.ts'
import type { User } from '#shared/doctypes/user.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { deleteDoc, updateDoc } from '#web/lib/api/api.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useDoc, useList } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { uploadFile } from '#web/lib/api/upload-file.ts'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorIcon } from '#web/ui/form/field.tsx'
import { t } from './messages.ts'

const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The user's avatar: upload, replace, remove. Replaced files are deleted, so that they don't pile up. */
export function PictureCard({ user }: { user: User }) {
  const { refresh } = useSession()
  const { reload } = useDoc('User', user.name)
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const files = useList('File', {
    fields: ['name', 'file_url'],
    filters: [
      ['attached_to_doctype', '=', 'User'],
      ['attached_to_name', '=', user.name],
      ['attached_to_field', '=', 'user_image'],
    ],
    limit: 0,
  })

  const keep = async (address: string | null) => {
    const next = await updateDoc<User>('User', user.name, { user_image: address })
    await Promise.all([reload(next), refresh()])
    // The avatar is saved. Old files that can't be deleted now are deleted with the next change.
    const old = (files.data ?? []).filter((file) => file.file_url !== address)
    await Promise.allSettled(old.map((file) => deleteDoc('File', file.name)))
    await files.reload()
  }
  const attempt = async (work: () => Promise<void>, done: string) => {
    setBusy(true)
    setProblem(null)
    try {
      await work()
      showToast({ title: done, variant: 'success' })
    } catch (error) {
      setProblem(`${t('personal.picture_failed')}: ${fullMessage(toApiError(error))}`)
    } finally {
      setBusy(false)
    }
  }
  const choose = (file: File) => {
    if (!pictureTypes.includes(file.type)) return setProblem(t('personal.no_image'))
    if (file.size > maxFileSize) return setProblem(t('personal.too_large', { size: formatBytes(file.size) }))
    return void attempt(async () => {
      const stored = await uploadFile(file, { doctype: 'User', docname: user.name, fieldname: 'user_image' })
      await keep(stored.file_url)
    }, t('personal.picture_saved'))
  }

  return (
    <Card>
      <CardHead title={t('personal.picture')} />
      <CardBody className="flex flex-wrap items-center gap-4">
        <Avatar size="xl" name={user.full_name ?? user.name} image={user.user_image} />
        <div className="grid min-w-0 gap-2">
          <div className="flex flex-wrap gap-2">
            <Button busy={busy} onClick={() => input.current?.click()}>
              {busy ? t('personal.uploading') : user.user_image ? t('personal.replace') : t('personal.upload')}
            </Button>
            {user.user_image && !busy ? (
              <Button variant="ghost" onClick={() => void attempt(() => keep(null), t('personal.picture_removed'))}>
                {t('personal.remove')}
              </Button>
            ) : null}
          </div>
          <input
            ref={input}
            type="file"
            hidden
            accept={pictureTypes.join(',')}
            aria-label={t('personal.upload')}
            onChange={(event) => {
              const file = event.target.files?.[0]
              event.target.value = ''
              if (file) choose(file)
            }}
          />
          {problem ? (
            <p role="alert" className="flex items-start gap-1.5 text-meta text-bad">
              <ErrorIcon className="mt-px" />
              <span className="min-w-0 wrap-anywhere">{problem}</span>
            </p>
          ) : (
            <p className="text-meta text-muted">{t('personal.picture_hint')}</p>
          )}
        </div>
      </CardBody>
    </Card>
  )
}
