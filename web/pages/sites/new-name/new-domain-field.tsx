import type { ComponentProps } from 'react'
import type { EngineName } from '#shared/rules/engines.ts'
import { checkDomain } from '#shared/rules/formats.ts'
import { siteNameWhileTyping } from '#shared/rules/site-name.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { nameProblem, NewNameField } from './new-name-field.tsx'
import { t } from './messages.ts'

type Engine = EngineName | null | undefined

/** Reason why a new site can't have this address on a server of an engine; null if it can. */
export function addressProblem(text: string, engine: Engine): string | null {
  if (engine !== 'ee') return nameProblem(text)
  if (text === '') return t('name.domain_missing')
  const problem = checkDomain(text)
  return problem && messageText(problem)
}

/** What a new site is named by: a name on this machine, a full domain on a server. */
export function NewDomainField({
  engine,
  onName,
  ...props
}: { readonly engine: Engine } & ComponentProps<typeof NewNameField>) {
  if (engine !== 'ee') return <NewNameField {...props} onName={(text) => onName(siteNameWhileTyping(text))} />
  return (
    <Field required label={t('name.domain')} hint={t('name.domain_hint')} error={props.error}>
      <Input
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder={t('name.domain_example')}
        {...props.field}
        onChange={(event) => onName(event.target.value.trim().toLowerCase())}
        value={props.name}
      />
    </Field>
  )
}
