import { boot } from '#web/lib/session/boot.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { builtInTerms } from './built-in-terms.ts'

/** The terms: the operator's own text (EASYDASH_TERMS_FILE) or the built-in one. Lines with `# ` are headings. */
export function TermsPage() {
  const { terms, product_name, url } = boot()
  const blocks = (terms ?? builtInTerms(product_name, new URL(url).host)).split(/\n\s*\n/)
  return (
    <PublicLayout wide title={t('terms.title')}>
      <div className="grid gap-3" translate={terms ? 'no' : undefined}>
        {blocks.map((block, index) =>
          block.startsWith('# ') ? (
            <h2 key={index} className="mt-3 text-lead">
              {block.slice(2)}
            </h2>
          ) : (
            <p key={index} className="whitespace-pre-line text-muted">
              {block}
            </p>
          ),
        )}
      </div>
    </PublicLayout>
  )
}
