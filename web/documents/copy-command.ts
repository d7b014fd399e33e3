import { copyText } from '#web/lib/copy-text.ts'
import { showToast } from '#web/lib/toasts.ts'
import { lt } from './list-messages.ts'

/** Copies a command of the API and says what is still missing in it, or that the browser refused. */
export async function copyCommand(command: string): Promise<void> {
  const done = await copyText(command)
  showToast(
    done
      ? { title: lt('copy.done'), description: lt('copy.done_hint'), variant: 'success' }
      : { title: lt('copy.refused'), variant: 'danger' },
  )
}
