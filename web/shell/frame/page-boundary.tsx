import { Component, type ErrorInfo, type ReactNode } from 'react'
import { ApiError } from '#web/lib/api/api-error.ts'
import { dataClient } from '#web/lib/api/data-client.ts'
import { isFailedImport } from '#web/lib/api/newer-build.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { tShell } from '../messages.ts'

interface Props {
  /** A new value renders the page again, after a navigation. */
  at: string
  children: ReactNode
}

/**
 * Shows an error panel in place of a page that can't be rendered, e.g. because a response has another shape than this version
 * of the app knows. The shell around it keeps working. Code that failed to load is left to the boundary above.
 */
export class PageBoundary extends Component<Props, { error: unknown; failed: boolean; at: string }> {
  override state = { error: null as unknown, failed: false, at: this.props.at }

  static getDerivedStateFromError(error: unknown) {
    return { error, failed: true }
  }

  static getDerivedStateFromProps({ at }: Props, state: { at: string }) {
    return at === state.at ? null : { at, failed: false, error: null }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    if (isFailedImport(error)) return
    reportError(error instanceof Error ? error : new Error(String(error), { cause: info.componentStack }))
  }

  override render(): ReactNode {
    const { error, failed } = this.state
    if (!failed) return this.props.children
    if (isFailedImport(error)) throw error
    return (
      <ErrorPanel
        page
        title={t('crash.title')}
        error={new ApiError(tShell('shell.page_broken'), { code: error instanceof Error ? error.message : '' })}
        onRetry={() => {
          // What the page could not show is read again.
          dataClient.removeQueries({ type: 'inactive' })
          this.setState({ error: null, failed: false })
        }}
      >
        <span className="flex flex-wrap items-center gap-4">
          <Button onClick={() => location.reload()}>{t('common.reload')}</Button>
          <Link to="/" className="link">
            {tShell('shell.to_dashboard')}
          </Link>
        </span>
      </ErrorPanel>
    )
  }
}
