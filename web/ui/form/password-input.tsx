import { useState, type ComponentProps } from 'react'
import { t } from '#web/lib/i18n/messages.ts'
import { IconButton } from '../icon-button.tsx'
import { EyeIcon, EyeOffIcon } from '../images/icons.tsx'
import { Input } from './input.tsx'

/** Password input with a button to show it. Pasting works. */
export function PasswordInput(props: Omit<ComponentProps<typeof Input>, 'type' | 'suffix' | 'prefix'>) {
  const [shown, setShown] = useState(false)
  return (
    <Input
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      {...props}
      type={shown ? 'text' : 'password'}
      suffix={
        <IconButton
          size="md"
          className="-mr-1.5"
          label={shown ? t('common.hide_password') : t('common.show_password')}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeOffIcon /> : <EyeIcon />}
        </IconButton>
      }
    />
  )
}
