import { Plus } from 'lucide-react'
import { CreateButton } from '#web/documents/form/create-button.tsx'
import { t } from './messages.ts'

/** Links to the site creation page. */
export function CreateSiteButton({ className, plain }: { className?: string; plain?: boolean }) {
  return (
    <CreateButton to="/site/create" className={className} plain={plain}>
      <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
      {t('sites.create')}
    </CreateButton>
  )
}
