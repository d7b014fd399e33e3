import { personOf, type Case } from './cases.ts'
import { profileOf, type Person } from './people.ts'
import { startUpload } from './upload-cases.ts'
import { call, type TestContext } from './test-context.ts'

/** What another page can make a browser send: the cookie, and no token of ours. */
const forgeries: Readonly<Record<string, (person: Person) => Person>> = {
  'without a CSRF token': (person) => ({ ...person, headers: { cookie: person.headers['cookie'] ?? '' } }),
  'with a wrong CSRF token': (person) => ({
    ...person,
    headers: { ...person.headers, 'x-frappe-csrf-token': 'wrong' },
  }),
  'from another origin': (person) => ({ ...person, headers: { ...person.headers, origin: 'https://evil.example' } }),
}

const entryPoints: Readonly<Record<string, (context: TestContext, person: Person) => Promise<{ status: number }>>> = {
  'a call': (context, person) =>
    call(context, person, 'POST', '/api/method/frappe.client.get_count', { doctype: 'Site' }),
  'a document': (context, person) => call(context, person, 'PUT', '/api/resource/Site/none', {}),
  'a call by cmd': (context, person) => call(context, person, 'POST', '/', { cmd: 'frappe.auth.get_logged_user' }),
  'an upload': (context, person) => startUpload(context, person, { kind: 'picture' }),
}

/** Forged requests are refused whoever they are from; the same calls by the person are not. */
export function forgedCases(): Case[] {
  const people = ['owner', 'member'] as const
  return people.flatMap((key) => [
    ...Object.entries(forgeries).flatMap(([how, forge]) =>
      Object.entries(entryPoints).map(([entryPoint, ask]): Case => ({
        title: `${key} is not accepted as the sender of a forged ${entryPoint}, ${how}`,
        doctype: '',
        kind: 'forged',
        async run(context) {
          const { status } = await ask(context, forge(personOf(context, key)))
          return status === 400 ? null : String(status)
        },
      })),
    ),
    {
      title: `${key} calls a method by cmd`,
      doctype: '',
      kind: 'forged',
      async run(context) {
        const { status, body } = await call(context, personOf(context, key), 'POST', '/', {
          cmd: 'frappe.auth.get_logged_user',
        })
        return status === 200 && body['message'] === profileOf(key).email ? null : String(status)
      },
    },
  ])
}
