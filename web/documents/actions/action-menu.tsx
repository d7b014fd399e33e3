import { Ellipsis } from 'lucide-react'
import { useState, type ReactElement, type ReactNode } from 'react'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator, MenuSub } from '#web/ui/overlay/menu.tsx'
import type { PendingAction } from './action-dialog.tsx'
import { ActionQuestion } from './action-question.tsx'
import { actionCurl, commandArgs } from './copy-as.ts'
import { copyCommand } from './copy-command.ts'
import { t } from './messages.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { needsDialog, useActionRunner, useActions, type ActionResult, type GatedAction } from './use-actions.ts'

interface ActionMenuProps {
  type: Doctype
  doc: AnyDoc
  /** Label of the button; defaults to "More actions". */
  label?: string
  before?: ReactNode
  /** The page's entries after the actions. */
  after?: ReactNode
  /** Actions shown elsewhere on the page. */
  except?: readonly string[]
  /** Hidden actions that the page shows as buttons; the menu still offers their commands. */
  commands?: readonly string[]
  onDone?: (action: string, result: ActionResult) => void
}

/**
 * The ⋯ menu of a document: `before` (the page's entries), then its actions, with dangerous ones in a separate group at the
 * end. A page has none if the user can do nothing there.
 */
export function ActionMenu(props: ActionMenuProps) {
  const { type, doc, before, after, except = [], commands = [] } = props
  const isEntry = ({ name, action }: GatedAction) =>
    (!action.hidden || commands.includes(name)) && !except.includes(name)
  const isEmpty = !useActions(type, doc).some(isEntry) && !before && !after
  return (
    <MenuWithQuestion
      {...props}
      button={
        isEmpty ? null : (
          <IconButton
            label={props.label ?? t('action.more')}
            size="lg"
            className="border border-border bg-surface shadow-xs"
          >
            <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        )
      }
    />
  )
}

/**
 * The same for a row of a list: it doesn't know whether it is empty before it is opened. Until then it is a button and nothing
 * else, because a list draws all of them whenever a row is selected.
 */
export function RowActionMenu(props: ActionMenuProps & { label: string }) {
  return (
    <MenuWithQuestion
      {...props}
      button={
        <IconButton label={props.label} size="md" data-row-menu>
          <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      }
    />
  )
}

function MenuWithQuestion({
  type,
  doc,
  before,
  after,
  except = [],
  commands = [],
  onDone,
  button,
}: ActionMenuProps & { button: ReactElement | null }) {
  const [pending, setPending] = useState<PendingAction | null>(null)
  return (
    <>
      {button && (
        <Menu trigger={button}>
          <ActionItems type={type} doc={doc} {...{ before, after, except, commands, onDone }} onAsk={setPending} />
        </Menu>
      )}
      <ActionQuestion
        type={type}
        pending={pending}
        onClose={() => setPending(null)}
        onDone={(result) => (pending ? onDone?.(pending.name, result) : undefined)}
      />
    </>
  )
}

/** Menu entries. Mounted only while the menu is open, so that lists send no requests for closed menus. */
function ActionItems({
  type,
  doc,
  before,
  after,
  except,
  commands,
  onDone,
  onAsk,
}: {
  type: Doctype
  doc: AnyDoc
  before: ReactNode
  after: ReactNode
  except: readonly string[]
  commands: readonly string[]
  onDone: ActionMenuProps['onDone']
  /** Asks before an action that needs it. */
  onAsk: (action: PendingAction) => void
}) {
  const all = useActions(type, doc)
  const { runOrToast } = useActionRunner(type)
  const start = ({ name, action }: GatedAction): void => {
    if (needsDialog(action)) onAsk({ doc, name, action })
    else void runOrToast(doc, name).then((result) => (result ? onDone?.(name, result) : undefined))
  }
  const actions = all.filter(({ name, action }) => !action.hidden && !except.includes(name))
  const plain = actions.filter(({ action }) => !action.danger)
  const dangerous = actions.filter(({ action }) => action.danger)
  const item = (entry: GatedAction) => {
    const { name, action, gate } = entry
    return (
      <MenuItem
        key={name}
        danger={action.danger ?? false}
        reason={gate.enabled ? null : gate.reason}
        onSelect={() => start(entry)}
      >
        {needsDialog(action) ? `${translateText(action.label)}…` : translateText(action.label)}
      </MenuItem>
    )
  }
  const copyable = all.filter(
    (entry) => entry.gate.enabled && !entry.action.danger && (actions.includes(entry) || commands.includes(entry.name)),
  )
  const copy = ({ name, action }: (typeof copyable)[number]): void =>
    void copyCommand(actionCurl(type, doc.name, name, commandArgs(action, doc), location.origin))
  return (
    <>
      {before}
      {before && plain.length > 0 ? <MenuSeparator /> : null}
      {plain.map(item)}
      {dangerous.length > 0 && (before || plain.length > 0) ? <MenuSeparator /> : null}
      {dangerous.map(item)}
      {after}
      {copyable.length > 0 ? <MenuSeparator /> : null}
      {copyable.length > 1 ? (
        <MenuSub label={t('copy.button')}>
          {copyable.map((entry) => (
            <MenuItem key={entry.name} onSelect={() => copy(entry)}>
              {translateText(entry.action.label)}
            </MenuItem>
          ))}
        </MenuSub>
      ) : (
        copyable.map((entry) => (
          <MenuItem key={entry.name} onSelect={() => copy(entry)}>
            {t('copy.action', { action: translateText(entry.action.label) })}
          </MenuItem>
        ))
      )}
      {!before && actions.length === 0 && copyable.length === 0 ? (
        <p className="px-2 py-1.5 text-table text-muted">{t('action.none')}</p>
      ) : null}
    </>
  )
}
