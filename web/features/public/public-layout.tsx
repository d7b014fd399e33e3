import { useEffect, useState, type ReactNode } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { boot } from '#web/lib/session/boot.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { useTheme } from '#web/lib/browser/theme.ts'
import { MoonIcon, SunIcon } from '#web/ui/images/icons.tsx'
import { Logo } from '#web/ui/images/logo.tsx'
import { RedirectReason } from './redirect-reason.tsx'
import { StatusMark } from '#web/ui/images/status-marks.tsx'
import { UptimeArt } from './uptime-art.tsx'

/** Whether the server is ready; null while checking. */
function useReady(): boolean | null {
  const [ready, setReady] = useState<boolean | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const ask = async (): Promise<void> => {
      try {
        const response = await fetch('/readyz', { signal: stop.signal })
        // Read the body: an unread response keeps its connection busy.
        await response.text()
        setReady(response.ok)
      } catch {
        if (!stop.signal.aborted) setReady(false)
      }
    }
    void ask()
    return () => stop.abort()
  }, [])
  return ready
}

function Status() {
  const ready = useReady()
  if (ready === null) return <span />
  return (
    <span className="flex items-center gap-1.5">
      <StatusMark tone={ready ? 'ok' : 'bad'} size={12} />
      {ready ? t('public.ready') : t('public.not_ready')}
    </span>
  )
}

/** Layout of a page outside the shell: logo, one narrow column, footer; on wide screens with the background art. */
export function PublicLayout({
  title,
  lead,
  children,
  foot,
  wide = false,
}: {
  title: ReactNode
  /** Below the title. */
  lead?: ReactNode
  children?: ReactNode
  /** Below the form, e.g. a link to another page. */
  foot?: ReactNode
  /** For long texts instead of forms. */
  wide?: boolean
}) {
  const { product_name, version } = boot()
  const { dark, toggle } = useTheme()
  return (
    <div className={wide ? 'min-h-dvh' : 'grid min-h-dvh lg:grid-cols-2'}>
      <div className="flex min-h-dvh min-w-0 flex-col px-12 py-8 max-md:p-5">
        <header>
          <Link
            to="/"
            className="-m-1 inline-flex items-center gap-2.5 rounded-ctl p-1 text-lead font-semibold tracking-[-0.02em]"
          >
            <Logo />
            {product_name}
          </Link>
        </header>
        <main
          id="main"
          className={wide ? 'mx-auto w-full max-w-[640px] flex-1 py-12' : 'm-auto w-full max-w-[352px] py-10'}
        >
          <RedirectReason />
          <h1 className="text-figure tracking-[-0.025em] text-balance">{title}</h1>
          {lead && <p className="mt-1 text-muted">{lead}</p>}
          <div className="mt-6">{children}</div>
          {foot && <div className="mt-6 text-table text-muted">{foot}</div>}
        </main>
        <footer className="flex min-h-6 items-center justify-between gap-4 text-meta text-muted">
          <span>
            {product_name} {version}
          </span>
          <Status />
          <button
            type="button"
            onClick={toggle}
            className="flex min-h-6 items-center gap-1.5 rounded-xs hover:text-fg touch:min-h-11"
          >
            {dark ? <SunIcon size={14} /> : <MoonIcon size={14} />}
            {t('public.theme')}
          </button>
        </footer>
      </div>
      {!wide && (
        <aside
          aria-hidden="true"
          className="relative hidden overflow-hidden border-l border-border bg-sunken [container-type:size] lg:block"
        >
          <UptimeArt />
          <div className="pointer-events-none absolute inset-0 bg-[linear-gradient(90deg,var(--sunken),transparent_30%_78%,var(--sunken)),linear-gradient(var(--sunken),transparent_22%_80%,var(--sunken))]" />
        </aside>
      )}
    </div>
  )
}
