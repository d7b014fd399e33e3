import { Component, useEffect, useState, type ReactNode } from 'react'
import { cx } from '#web/lib/cx.ts'
import { CodeMissing } from '#web/lib/code.ts'
import { t } from '#web/lib/messages.ts'
import { missingText, reloadIfOutdated, wayOut } from '#web/lib/newer-build.ts'
import { Button } from './button.tsx'

interface Props {
  /**
   * What is drawn in the place of what did not come. `page`: all of the screen beside the shell; `screen`: there is no
   * shell; `part`: a list, a note.
   */
  level: 'screen' | 'page' | 'part'
  /** Another value draws the children anew: the person went elsewhere. */
  at?: string
  children: ReactNode
}

/**
 * Stands around what is drawn by code that may not be here (`fetched`). When that cannot be fetched it says so in its
 * place, with a button that tries again; everything around stays. Other errors go on to the boundary above.
 */
export class CodeBoundary extends Component<Props, { error: unknown; failed: boolean; at: string | undefined }> {
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
    if (!(error instanceof CodeMissing)) throw error
    return (
      <Missing missing={error} level={this.props.level} onHere={() => this.setState({ failed: false, error: null })} />
    )
  }
}

function Missing({ missing, level, onHere }: { missing: CodeMissing; level: Props['level']; onHere: () => void }) {
  const [busy, setBusy] = useState(false)
  const [way, setWay] = useState<Awaited<ReturnType<typeof wayOut>>>('retry')
  const whole = level !== 'part'
  const { code } = missing
  useEffect(() => {
    // A screen that did not come has nothing to lose by loading the new app.
    if (whole) void reloadIfOutdated()
    return code.forget
  }, [whole, code])
  const retry = async (): Promise<void> => {
    if (way !== 'retry') {
      location.reload()
      return
    }
    setBusy(true)
    try {
      await code.load()
      onHere()
    } catch (error) {
      const next = await wayOut(error)
      if (whole && next !== 'retry') location.reload()
      setWay(next)
    }
    setBusy(false)
  }
  const Heading = whole ? 'h1' : 'p'
  const panel = (
    <div role="alert" className={cx(!whole && 'p-3 text-table')}>
      <Heading className={cx(!whole && 'font-semibold')}>
        {t(whole ? 'code.page_missing' : 'code.part_missing')}
      </Heading>
      <p className="mt-1 mb-4 text-muted">{t(missingText[way])}</p>
      <Button
        variant={whole ? 'primary' : 'default'}
        size={whole ? 'md' : 'sm'}
        busy={busy}
        onClick={() => void retry()}
      >
        {t(way === 'retry' ? 'common.try_again' : 'common.reload')}
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
