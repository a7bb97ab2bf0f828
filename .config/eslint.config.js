import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Type-aware lint for everything in the repository; run from its root. */
export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'coverage/**',
      '.artifacts/**',
      'node_modules/**',
      'src/**/assets/**',
      'src/platform/web/assets/**',
      // Compiled against what generators make, by `npm run test:generators`.
      'test/generators/**',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: process.cwd() },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only: a name must mean one thing.' },
      ],
      // `== null` is the one test that means "null or undefined".
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-control-regex': 'off',
    },
  },
  { files: ['**/*.config.{js,ts}', 'ormconfig.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['**/*.js'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: {
      ...tseslint.configs.disableTypeChecked.languageOptions,
      globals: Object.fromEntries(
        ['process', 'Buffer', 'URL', 'fetch', 'performance']
          .concat(['setTimeout', 'setInterval', 'clearInterval'])
          .map((name) => [name, 'readonly']),
      ),
    },
  },
  { files: ['src/**/assets/**/*.js'], languageOptions: { globals: {} } },
);
