import { Button } from '#web/ui/button.tsx'

/** Opens the dialog that adds something; off with the reason while nothing can be changed. */
export function AddButton({ held, label, onClick }: { held: string | null; label: string; onClick: () => void }) {
  return (
    <Button
      size="md"
      aria-disabled={held === null ? undefined : true}
      title={held ?? undefined}
      onClick={() => (held === null ? onClick() : undefined)}
    >
      {label}
    </Button>
  )
}
