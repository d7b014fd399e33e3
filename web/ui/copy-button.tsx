import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { t } from '#web/lib/messages.ts'
import { IconButton } from './icon-button.tsx'

/** Copies `value` and says so. `label` names it for screen readers ("Copy address"). */
export function CopyButton({ value, label: given, className }: { value: string; label?: string; className?: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const label = given ?? t('common.copy')
  return (
    <>
      <IconButton
        size="sm"
        label={copied ? t('common.copied') : label}
        title={copied ? t('common.copied') : label}
        className={className ?? ''}
        onClick={() => {
          void copyText(value).then(setCopied)
        }}
      >
        {copied ? <Check size={14} strokeWidth={2} className="text-m-ok" /> : <Copy size={14} strokeWidth={1.75} />}
      </IconButton>
      <span className="sr-only" aria-live="polite">
        {copied ? t('common.copied') : ''}
      </span>
    </>
  )
}

/** Puts text on the clipboard; false when the browser refuses. Works without https too. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // No clipboard API on plain http: the old way, inside whatever layer holds the focus.
    const holder = document.activeElement?.parentElement ?? document.body
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'sr-only'
    holder.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}
