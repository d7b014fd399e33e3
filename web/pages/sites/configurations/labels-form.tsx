import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { EditForm } from '#web/documents/form/edit-form.tsx'
import { t } from './messages.ts'

/** Labels and notes of a site. */
export function LabelsForm({ site }: { site: Site }) {
  return (
    <EditForm
      key={site.name}
      type={SiteDoctype}
      doc={{ ...site, doctype: 'Site' }}
      label={t('labels.form')}
      undoable
      sections={[{ title: t('labels.title'), hint: t('labels.hint'), names: ['client', 'project', 'notes'] }]}
    />
  )
}
