/**
 * kill -9 of the database under writers: each call ends with an answer that says whether to try again, what was answered with 200 is
 * there, and nothing is there twice. Then kill -9 of everything at once: the next start takes over.
 */
import { expect, test } from '@playwright/test'
import { benchSettings, signUpOwner } from '#tests/bench/bench-product.ts'
import { startProduct } from './support/harness.ts'

interface Answer {
  readonly hostname: string
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

const writers = 10

test('a killed database loses no write that was answered, and the product takes over what it left', async () => {
  test.skip(process.platform !== 'linux', 'needs /proc to find the database')
  test.setTimeout(480_000)
  const product = await startProduct({ env: benchSettings, mayBlock: true })
  try {
    const { browser } = await signUpOwner(product)
    const answers: Answer[] = []
    const write = async (hostname: string): Promise<Answer> => {
      const response = await browser.fetch('/api/resource/Server', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: product.url,
          'x-frappe-csrf-token': browser.csrfToken ?? '',
        },
        body: JSON.stringify({ hostname, cloud_provider: 'Custom', organization: 'bench' }),
      })
      const text = await response.text()
      const answer = { hostname, status: response.status, retryAfter: response.headers.get('retry-after'), text }
      answers.push(answer)
      return answer
    }
    const stored = async (): Promise<string[]> => {
      const rows = await browser.app
        .db()
        .getDocList<{ hostname: string }>('Server', { fields: ['hostname'], limit: 10_000 })
      return rows.map(({ hostname }) => hostname).filter((hostname) => hostname.endsWith('.killed.example'))
    }
    const postmasters = async (): Promise<number[]> =>
      (await product.processes()).filter(({ command }) => /postgres\b.* -D/.test(command)).map(({ pid }) => pid)

    let isKilled = false
    const loops = Array.from({ length: writers }, async (_, writer) => {
      for (let at = 0, after = 0; after < 3 && at < 5_000; at += 1) {
        const { status } = await write(`w${writer}-${at}.killed.example`)
        // Some more after the database is back.
        if (isKilled && status === 200) after += 1
      }
    })
    await expect.poll(() => answers.length).toBeGreaterThan(writers * 3)
    const [postmaster] = await postmasters()
    expect(postmaster, 'the database is running').toBeDefined()
    process.kill(postmaster ?? 0, 'SIGKILL')
    isKilled = true
    await Promise.all(loops)

    // Most are retried by the product itself, where that is safe.
    for (const { status, retryAfter, hostname, text } of answers.filter((answer) => answer.status !== 200)) {
      expect(status, `${hostname}: ${text}\n${product.output()}`).toBe(503)
      expect(Number(retryAfter), hostname).toBeGreaterThan(0)
    }
    const names = await stored()
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(
      expect.arrayContaining(answers.filter(({ status }) => status === 200).map(({ hostname }) => hostname)),
    )

    for (const pid of await postmasters()) process.kill(pid, 'SIGKILL')
    await product.kill9()
    await product.restart()
    expect((await stored()).toSorted()).toEqual(names.toSorted())
  } finally {
    await product.close()
  }
})
