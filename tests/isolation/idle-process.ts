/** A process that lives until it is ended, with the kinds of sockets a site's process has. */
import { createServer } from 'node:http'
import { join } from 'node:path'

createServer().listen(join(process.cwd(), 'idle.sock'))
