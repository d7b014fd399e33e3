import { Search } from 'lucide-react'
import { IconButton } from '#web/ui/icon-button.tsx'
import { Kbd } from '#web/ui/kbd.tsx'
import { tShell } from '../messages.ts'

/** Opens the search: looks like a field in the top bar, an icon on phones. */
export function SearchButton({ onOpen }: { onOpen: () => void }) {
  const props = { 'aria-haspopup': 'dialog', onClick: onOpen } as const
  return (
    <>
      <button
        {...props}
        type="button"
        aria-keyshortcuts="/"
        className="tour-search flex h-9 w-70 items-center gap-2 rounded-ctl border border-border bg-surface px-2.5 text-left text-muted shadow-xs hover:border-input max-xl:w-52 max-lg:w-auto max-md:hidden"
      >
        <Search size={16} strokeWidth={1.75} className="shrink-0" aria-hidden="true" />
        <span className="min-w-0 flex-1 truncate max-lg:sr-only">{tShell('shell.search_hint')}</span>
        <Kbd>/</Kbd>
      </button>
      <IconButton {...props} label={tShell('shell.search')} className="tour-search md:hidden">
        <Search size={20} strokeWidth={1.75} />
      </IconButton>
    </>
  )
}
