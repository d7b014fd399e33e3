import { useId, type ReactNode } from 'react'
import { consoleLimits } from '#shared/rules/site-console.ts'
import { Textarea } from '#web/ui/form/input.tsx'

/** An editor of a few lines of code. Ctrl or ⌘ and Enter runs them. */
export function CodeArea({
  label,
  hint,
  value,
  onChange,
  onRun,
}: {
  label: string
  hint: ReactNode
  value: string
  onChange: (value: string) => void
  onRun: () => void
}) {
  const hintId = useId()
  return (
    <div className="grid gap-1.5">
      <Textarea
        aria-label={label}
        aria-describedby={hintId}
        rows={6}
        value={value}
        maxLength={consoleLimits.code}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        translate="no"
        className="resize-y font-mono [font-variant-ligatures:none]"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
          event.preventDefault()
          onRun()
        }}
      />
      <p id={hintId} className="text-meta text-muted">
        {hint}
      </p>
    </div>
  )
}

/** Code as it is. */
export function CodeBlock({ children, label }: { children: string; label?: string }) {
  return (
    <pre
      translate="no"
      aria-label={label}
      // Long code scrolls in its own box.
      tabIndex={0}
      className="max-h-80 overflow-auto rounded-ctl bg-sunken p-2.5 text-left font-mono text-meta whitespace-pre-wrap wrap-anywhere [font-variant-ligatures:none]"
    >
      {children}
    </pre>
  )
}
