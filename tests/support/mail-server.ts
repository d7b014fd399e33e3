/** A mail server that keeps what it is sent, in place of the one that operators set with `SMTP_URL`. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A received email. */
export interface ReceivedMail {
  readonly from: string
  readonly to: string
  readonly subject: string
  /** Headers and parts, decoded. */
  readonly content: string
}

/** A running mail server. */
export interface TestMailServer {
  /** Value of `SMTP_URL`. */
  readonly url: string
  /** The first email to this address whose subject matches; waits for it. */
  received(to: string, subject: RegExp): Promise<ReceivedMail>
  close(): void
}

/** Undoes quoted-printable, which emails are sent in. */
const decoded = (text: string): string =>
  text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))

/** The first link in the text of an email. */
export const linkIn = ({ content }: ReceivedMail): string => /^https?:\/\/\S+$/m.exec(content)?.[0] ?? ''

/** Starts a mail server on a free port. */
export async function startMailServer(): Promise<TestMailServer> {
  const mails: ReceivedMail[] = []
  let arrived = Promise.withResolvers<void>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    converse(socket, (mail) => {
      mails.push(mail)
      arrived.resolve()
      arrived = Promise.withResolvers()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async received(to, subject) {
      for (;;) {
        const found = mails.find((mail) => mail.to === to && subject.test(mail.subject))
        if (found) return found
        await arrived.promise
      }
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** One connection: answers commands, and passes on each email. */
function converse(socket: Socket, onMail: (mail: ReceivedMail) => void): void {
  const address = (command: string) => /<([^>]*)>/.exec(command)?.[1] ?? ''
  let pending = ''
  let from = ''
  let to = ''
  let isData = false
  socket.setEncoding('utf8').on('error', () => undefined)
  socket.write('220 test\r\n')
  socket.on('data', (chunk: string) => {
    pending += chunk
    for (;;) {
      const end = isData ? '\r\n.\r\n' : '\r\n'
      const length = pending.indexOf(end)
      if (length === -1) return
      const line = pending.slice(0, length)
      pending = pending.slice(length + end.length)
      if (isData) {
        const content = decoded(line).replaceAll('\r\n', '\n')
        onMail({ from, to, subject: /^Subject: (.*)$/m.exec(content)?.[1] ?? '', content })
        isData = false
      } else if (line.startsWith('MAIL FROM')) from = address(line)
      else if (line.startsWith('RCPT TO')) to = address(line)
      else if (line === 'DATA') isData = true
      socket.write(isData ? '354 go\r\n' : line.startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n')
    }
  })
}
