import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findReleaseNotes } from '../../../build/packaging/releaseNotes.mjs'
import { repoDir } from '../../../build/paths.mjs'

const folder = join(repoDir, '.github', 'workflows')

async function readWorkflows(): Promise<[string, string][]> {
  const names = await readdir(folder)
  return Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as [string, string]),
  )
}

describe('the workflows', () => {
  it('pin actions of others to a commit, each with its version in a comment', async () => {
    const loose = (await readWorkflows()).flatMap(([name, text]) =>
      [...text.matchAll(/uses: *(\S+)(.*)/g)].flatMap(([line, action = '', rest = '']) => {
        const isOwn = action.startsWith('./')
        const isPinned = /@[0-9a-f]{40}$/.test(action) && /^ # v\d+\.\d+\.\d+$/.test(rest)
        return isOwn || isPinned ? [] : [`${name}: ${line}`]
      }),
    )
    expect(loose).toEqual([])
  })

  it('each have their own concurrency group, so that no workflow waits for one that it calls', async () => {
    const groups = (await readWorkflows()).map(([name, text]) => {
      const [, group = ''] = /^concurrency:\n(?: {2}#.*\n)* {2}group: (.*)$/m.exec(text) ?? []
      // In a called workflow, `github.workflow` is the name of the caller.
      expect(group, name).not.toContain('github.workflow')
      expect(group, name).toContain('github.ref')
      return group
    })
    expect(new Set(groups).size).toBe(groups.length)
  })

  it('have read permission only unless a job states more, a time limit for each job, and no text of others in commands', async () => {
    for (const [name, text] of await readWorkflows()) {
      expect(text, name).toMatch(/^permissions:\n {2}contents: read$/m)
      const running = text.match(/^ {4}runs-on:/gm)?.length ?? 0
      expect(text.match(/^ {4}timeout-minutes:/gm)?.length, name).toBe(running)
      // Text from events is untrusted: it must not become part of a command.
      expect(text, name).not.toMatch(/run:.*\$\{\{ *github\.(event|head_ref)/)
    }
  })
})

it('a release packs only the official Electron, and names the packages that it must not leave out', async () => {
  const release = await readFile(join(folder, 'release.yml'), 'utf8')
  const packing = [...release.matchAll(/(?:package\.mjs|npm run package) ?(.*)/g)].map(([, args]) => args)
  expect(packing).toEqual([expect.stringMatching(/^--official \$\{\{ matrix\.packages \}\}$/)])
  const platforms = release.match(/- \{ os: .*/g) ?? []
  expect(platforms.length).toBeGreaterThan(0)
  for (const platform of platforms) expect(platform).toMatch(/, packages: \w/)
})

describe('the release workflow', () => {
  it('compares the tag with the version and reads its notes before the checks and packages', async () => {
    const text = await readFile(join(folder, 'release.yml'), 'utf8')
    const [first = '', ...later] = text
      .slice(text.indexOf('\njobs:\n') + 7)
      .split(/^ {2}(?=\w+:$)/m)
      .slice(1)
    expect(first).toContain('$GITHUB_REF_NAME')
    expect(first).toContain('releaseNotes.mjs')
    expect(first).not.toContain('needs:')
    const [name] = first.split(':')
    expect(later.map((job) => /^ {4}needs: (\w+)$/m.exec(job)?.[1])).toEqual([name, 'check', 'packages'])
  })
})

describe('release notes', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n### Added\n- One\n\n## [0.1.0]\n- First\n'

  it('are the changelog’s section of the version', () => {
    expect(findReleaseNotes(changelog, '0.2.0')).toBe('### Added\n- One')
    expect(findReleaseNotes(changelog, '0.1.0')).toBe('- First')
  })

  it('are missing when the changelog has no section of the version', () => {
    expect(findReleaseNotes(changelog, '0.3.0')).toBeUndefined()
    expect(findReleaseNotes(changelog, 'Unreleased')).toBeUndefined()
  })
})
