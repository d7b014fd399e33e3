import type { Command } from '../actions/copy-as.ts'
import { copyCommand } from '../actions/copy-command.ts'
import { CopyMenu } from '../actions/copy-menu.tsx'

/** The ⋯ menu of a list: copies its API request (`copy-as.ts`). Same height as the selects beside it. */
export function CopyListButton({ command }: { command: () => Command }) {
  return (
    <CopyMenu
      className="size-8! border border-border bg-surface shadow-xs max-md:size-10!"
      onCopy={() => void copyCommand(command())}
    />
  )
}
