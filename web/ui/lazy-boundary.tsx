import { Component, useEffect, useState, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { isFailedImport, reloadIfOutdated, reloadIfReachable } from '#web/lib/api/newer-build.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from './button.tsx'

interface Props {
  /**
   * What to show if loading fails. `page`: the whole page inside the shell; `screen`: without a shell; `part`: a tab or
   * notice; `toast`: an overlay without a position on the page.
   */
  level: 'screen' | 'page' | 'part' | 'toast'
  /** A new value renders the children again, after a navigation. */
  at?: string
  children: ReactNode
}

/**
 * Error boundary for `React.lazy` components: shows a message in their place if their code fails to load. Other errors go to
 * the boundary above.
 */
export class LazyBoundary extends Component<Props, { error: unknown; failed: boolean; at: string | undefined }> {
  override state = { error: null as unknown, failed: false, at: this.props.at }

  static getDerivedStateFromError(error: unknown) {
    return { error, failed: true }
  }

  static getDerivedStateFromProps({ at }: Props, state: { at: string | undefined }) {
    return at === state.at ? null : { at, failed: false, error: null }
  }

  override render(): ReactNode {
    const { error, failed } = this.state
    if (!failed) return this.props.children
    if (!isFailedImport(error)) throw error
    return <NotLoaded error={error} level={this.props.level} />
  }
}

function NotLoaded({ error, level }: { error: unknown; level: Props['level'] }) {
  const [busy, setBusy] = useState(false)
  const whole = level === 'page' || level === 'screen'
  useEffect(() => {
    reportError(error)
    // A screen that failed to load has nothing to lose, so reload if there is a newer build.
    if (whole) void reloadIfOutdated()
    if (level === 'toast') showToast({ title: t('load.part_failed'), description: t('load.hint'), variant: 'danger' })
  }, [whole, level, error])
  if (level === 'toast') return null
  const retry = async (): Promise<void> => {
    setBusy(true)
    await reloadIfReachable()
    setBusy(false)
  }
  const Heading = whole ? 'h1' : 'p'
  const panel = (
    <div role="alert" className={cx(!whole && 'p-3 text-table')}>
      <Heading className={cx(!whole && 'font-semibold')}>{t(whole ? 'load.page_failed' : 'load.part_failed')}</Heading>
      <p className="mt-1 mb-4 text-muted">{t('load.hint')}</p>
      <Button
        variant={whole ? 'primary' : 'default'}
        size={whole ? 'md' : 'sm'}
        busy={busy}
        onClick={() => void retry()}
      >
        {t('common.try_again')}
      </Button>
    </div>
  )
  if (level !== 'screen') return panel
  return (
    <main id="main" className="grid min-h-dvh place-items-center p-6">
      {panel}
    </main>
  )
}
