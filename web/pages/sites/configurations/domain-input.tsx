import type { ComponentProps } from 'react'
import { Input } from '#web/ui/form/input.tsx'

/** Input of a domain. What is typed or pasted becomes lower case, which is all that the server takes. */
export function DomainInput({ onChange, ...field }: Omit<ComponentProps<'input'>, 'prefix'>) {
  return (
    <Input
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      inputMode="url"
      maxLength={300}
      {...field}
      onChange={(event) => {
        lower(event.target)
        onChange?.(event)
      }}
    />
  )
}

/** The caret stays where it is, as while writing in the middle of a name. */
function lower(input: HTMLInputElement): void {
  const text = input.value.toLowerCase()
  if (text === input.value) return
  const { selectionStart, selectionEnd } = input
  input.value = text
  input.setSelectionRange(selectionStart, selectionEnd)
}
