import { tShell } from '../messages.ts'

/** Text and tone of usage against a limit: amber from 80 %, text at and above the limit. */
export function usageState({ used, limit }: { used: number; limit: number }): {
  tone: 'quiet' | 'warn' | 'bad'
  text: string
  percent: number
} {
  if (limit <= 0) return { tone: 'quiet', text: String(used), percent: 0 }
  const percent = Math.min(100, Math.round((used / limit) * 100))
  if (used > limit) return { tone: 'bad', text: tShell('shell.over_limit'), percent }
  if (used === limit) return { tone: 'warn', text: tShell('shell.limit_reached'), percent }
  return { tone: percent >= 80 ? 'warn' : 'quiet', text: tShell('shell.usage_of', { used, limit }), percent }
}
