import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { IconButton } from './icon-button.tsx'

/** Copies `value` and confirms it. `label` is the accessible name ("Copy address"). */
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

/** A value to copy: monospace, one line, with a copy button. */
export function CopyField({ value, label }: { value: string; label?: string }) {
  return (
    <span className="flex h-8 min-w-0 items-center gap-2 rounded-ctl border border-border bg-sunken pr-1 pl-2.5 font-mono text-meta">
      <span className="min-w-0 flex-1 truncate" title={value} translate="no">
        {value}
      </span>
      <CopyButton value={value} {...(label && { label })} />
    </span>
  )
}
