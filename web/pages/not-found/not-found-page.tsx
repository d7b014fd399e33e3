import { Link } from '#web/lib/routing/router.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import { useSession } from '#web/lib/session/session.tsx'

/** Page for unknown paths; inside the shell if there is one. */
export function NotFoundPage() {
  const inShell = useSession().organization !== null
  const content = (
    <div className="grid place-items-center px-6 py-24 text-center">
      <div>
        <p className="mb-2 font-mono text-meta text-muted">404</p>
        <h1>{t('notfound.title')}</h1>
        <p className="mt-3">
          <Link to="/" className="link">
            {t('notfound.home')}
          </Link>
        </p>
      </div>
    </div>
  )
  return inShell ? content : <main id="main">{content}</main>
}
