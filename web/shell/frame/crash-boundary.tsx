import { Component, type ComponentType, type ErrorInfo, type ReactNode } from 'react'

/** A class, because React has no other way to catch render errors. */
export class CrashBoundary extends Component<
  { page: ComponentType<{ error: unknown }>; children: ReactNode },
  { crash: { error: unknown } | null }
> {
  override state: { crash: { error: unknown } | null } = { crash: null }

  static getDerivedStateFromError(error: unknown): { crash: { error: unknown } } {
    return { crash: { error } }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    reportError(error instanceof Error ? error : new Error(String(error), { cause: info.componentStack }))
  }

  override render(): ReactNode {
    const { page: Page, children } = this.props
    return this.state.crash ? <Page error={this.state.crash.error} /> : children
  }
}
