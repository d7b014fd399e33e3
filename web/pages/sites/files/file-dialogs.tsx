import { useState, type FormEvent, type ReactNode } from 'react'
import { isNewName, nameOf, pathIn } from '#shared/rules/site-files.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { t as common } from '#web/lib/i18n/messages.ts'
import { shownName } from './file-data.ts'
import { t } from './messages.ts'

interface FormDialogProps {
  readonly title: string
  readonly description?: string
  readonly submit: string
  readonly onClose: () => void
  /** Throws if it does not work, which the dialog shows. */
  readonly onSubmit: () => Promise<void>
  readonly children: (failure: string | null) => ReactNode
}

/** A dialog with a form that stays open until its work is done. */
function FormDialog({ title, description, submit, onClose, onSubmit, children }: FormDialogProps) {
  const { busy, failure, attempt } = useAttempt()
  const send = (event: FormEvent) => {
    event.preventDefault()
    void attempt(onSubmit)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={title}
      {...(description !== undefined && { description })}
      footer={
        <>
          <Button onClick={onClose}>{common('common.cancel')}</Button>
          <Button type="submit" form="file-form" variant="primary" busy={busy}>
            {submit}
          </Button>
        </>
      }
    >
      <form id="file-form" className="grid gap-4 pt-1" noValidate onSubmit={send}>
        {children(failure)}
      </form>
    </Dialog>
  )
}

/** Asks for a name: of a new file or folder, or another one. */
export function NameDialog({
  title,
  description,
  label,
  submit,
  value,
  onClose,
  onName,
}: {
  title: string
  description?: string
  label: string
  submit: string
  value: string
  onClose: () => void
  onName: (name: string) => Promise<void>
}) {
  const [name, setName] = useState(value)
  const [problem, setProblem] = useState<string | null>(null)
  const check = async () => {
    const wrong = name.trim() === '' ? t('files.name_missing') : isNewName(name) ? null : t('files.name_bad')
    setProblem(wrong)
    if (wrong === null) await onName(name)
  }
  return (
    <FormDialog
      title={title}
      {...(description !== undefined && { description })}
      submit={submit}
      onClose={onClose}
      onSubmit={check}
    >
      {(failure) => (
        <Field label={label} error={problem ?? failure}>
          <Input
            value={name}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onFocus={(event) => event.target.setSelectionRange(0, endOfStem(event.target.value))}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  )
}

/** The part of a name that people change: without its ending. */
function endOfStem(name: string): number {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? dot : name.length
}

/** Asks where files and folders go. */
export function MoveDialog({
  names,
  folder,
  onClose,
  onMove,
}: {
  names: readonly string[]
  folder: string
  onClose: () => void
  onMove: (folder: string) => Promise<void>
}) {
  const [target, setTarget] = useState(folder)
  return (
    <FormDialog
      title={t('files.move_title', { count: names.length, name: shownName(names[0] ?? '') })}
      submit={t('files.move_here')}
      onClose={onClose}
      onSubmit={() => onMove(plainPath(target))}
    >
      {(failure) => (
        <Field label={t('files.target')} hint={t('files.target_hint')} error={failure}>
          <Input
            value={target}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={(event) => setTarget(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  )
}

/** Asks where an archive is unpacked. */
export function UnzipDialog({
  name,
  folder,
  onClose,
  onUnzip,
}: {
  name: string
  folder: string
  onClose: () => void
  onUnzip: (folder: string, replace: boolean) => Promise<void>
}) {
  const [target, setTarget] = useState(pathIn(folder, nameOf(name).replace(/\.zip$/i, '')))
  const [replace, setReplace] = useState(false)
  return (
    <FormDialog
      title={t('files.unzip_title', { name: shownName(name) })}
      description={t('files.unzip_text')}
      submit={t('files.unzip_do')}
      onClose={onClose}
      onSubmit={() => onUnzip(plainPath(target), replace)}
    >
      {(failure) => (
        <>
          <Field label={t('files.target')} hint={t('files.target_hint')} error={failure}>
            <Input
              value={target}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              onChange={(event) => setTarget(event.target.value)}
            />
          </Field>
          <Checkbox
            label={t('files.unzip_replace')}
            checked={replace}
            onChange={(event) => setReplace(event.target.checked)}
          />
        </>
      )}
    </FormDialog>
  )
}

/** A path as people write it, without the slashes around it. */
function plainPath(path: string): string {
  return path
    .split('/')
    .filter((name) => name !== '')
    .join('/')
}
