/** A place where EasyEngine keeps its own backups. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EeServer } from './ee-server.ts'

/** Gives a simulated server rclone and a remote, as its administrator does. */
export async function keepEasyEngineBackups({ root, ee }: Pick<EeServer, 'root' | 'ee'>): Promise<void> {
  await mkdir(join(root, 'root/.config/rclone'), { recursive: true })
  await writeFile(join(root, 'root/.config/rclone/rclone.conf'), '[store]\ntype = s3\nprovider = Other\n')
  await ee('config', 'set', 'rclone-path', 'store:bucket')
}
