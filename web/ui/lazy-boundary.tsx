import { Component, useEffect, useState, type ReactNode } from 'react'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { isFailedImport, reloadIfOutdated, reloadIfReachable } from '#web/lib/api/newer-build.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from './button.tsx'

interface Props {
  /**
   * What is shown instead of what could not be loaded. `page`: all of the screen beside the shell; `screen`: there is no
   * shell; `part`: a tab, a note; `toast`: something over the page that has no place in it.
   */
  level: 'screen' | 'page' | 'part' | 'toast'
  /** Another value renders the children again: the person navigated. */
  at?: string
  children: ReactNode
}

/**
 * Around components of `React.lazy`. If their code cannot be loaded, this says so in their place and everything around
 * stays. Other errors go on to the boundary above.
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
    // A screen that could not be loaded has nothing to lose by loading the new app.
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
