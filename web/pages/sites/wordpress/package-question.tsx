import type { UploadedPackage } from './use-package-upload.ts'
import { t } from './messages.ts'
import { Notice } from '#web/ui/notice.tsx'

/** What an uploaded file contains, and what installing it would do. */
export function PackageQuestion({ about, wanted }: { about: UploadedPackage; wanted: 'plugin' | 'theme' }) {
  const { type, name, version, installed } = about
  return (
    <div className="grid gap-3">
      <p className="text-table">
        {t(type === 'theme' ? 'package.is_theme' : 'package.is_plugin')}{' '}
        <span translate="no" className="font-medium wrap-anywhere">
          {`${name} ${version}`.trim()}
        </span>
      </p>
      {type === wanted ? null : (
        <Notice tone="info">{t(type === 'theme' ? 'package.theme_instead' : 'package.plugin_instead')}</Notice>
      )}
      {installed === null ? null : (
        <Notice tone="warn" title={t('package.installed', { version: installed })}>
          {t('package.replaces', { version: installed })}
        </Notice>
      )}
    </div>
  )
}

/** What the button says that installs it. */
export function installLabel({ type, version, installed }: UploadedPackage, wanted: 'plugin' | 'theme'): string {
  if (installed !== null) return t('package.replace', { from: installed, to: version })
  if (type === wanted) return t('add.confirm')
  return t(type === 'theme' ? 'package.install_theme' : 'package.install_plugin')
}
