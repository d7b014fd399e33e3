import { copyText } from '#web/lib/browser/copy-text.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import type { Command } from './copy-as.ts'
import { t } from './messages.ts'

/** What the user still has to add to the copied command. */
export const credentialsHint = ({ by }: Command): string => t(by === 'token' ? 'copy.token' : 'copy.session')

/** Copies an API command and shows in a toast what is still missing in it, or that the browser denied access. */
export async function copyCommand(command: Command): Promise<void> {
  const done = await copyText(command.text)
  showToast(
    done
      ? { title: t('copy.done'), description: credentialsHint(command), variant: 'success' }
      : { title: t('copy.failed'), variant: 'danger' },
  )
}
