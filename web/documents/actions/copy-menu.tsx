import { Ellipsis, SquareTerminal } from 'lucide-react'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { t } from './messages.ts'

/** A ⋯ menu that copies a command. `action`: the copied action, if there are several beside each other. */
export function CopyMenu({
  action,
  size = 'lg',
  className,
  onCopy,
}: {
  action?: string
  size?: 'sm' | 'lg'
  className?: string
  onCopy: () => void
}) {
  return (
    <Menu
      trigger={
        <IconButton
          size={size}
          label={action === undefined ? t('action.more') : t('action.menu', { title: action })}
          className={className}
        >
          <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      }
    >
      <MenuItem icon={<SquareTerminal size={14} strokeWidth={1.75} aria-hidden="true" />} onSelect={onCopy}>
        {action === undefined ? t('copy.button') : t('copy.action', { action })}
      </MenuItem>
    </Menu>
  )
}
