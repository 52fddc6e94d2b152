/**
 * Regenerates the byte code in `artifacts`. The compiler and the packages with the published contracts are not
 * among the dependencies, as only this needs them; they are read from a folder of their own:
 *
 *     npm install --prefix FOLDER --ignore-scripts solc@0.8.37 @uniswap/v2-core@1.0.1 @uniswap/v3-core@1.0.1 @uniswap/v4-core@1.0.2
 *     node local/demo-chain/compile.ts FOLDER
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const SOURCES = join(import.meta.dirname, 'contracts');
const ARTIFACTS = join(import.meta.dirname, 'artifacts');
const SETTINGS = {
  optimizer: { enabled: true, runs: 200 },
  evmVersion: 'cancun',
  // Without them the code depends on nothing but the sources and the compiler.
  metadata: { bytecodeHash: 'none', appendCBOR: false },
};
/** Contracts of ours whose code as it lies on the chain is needed too: it is put there without a transaction. */
const RUNTIME_CODE = ['Multicall'];

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Record<string, Record<string, CompiledContract>>;
}

interface CompiledContract {
  readonly evm: { readonly bytecode: Code; readonly deployedBytecode: Code };
}

interface Code {
  readonly object: string;
}

function compileContracts(compiler: { compile(input: string): string }): Record<string, string> {
  const files = readdirSync(SOURCES).filter((file) => file.endsWith('.sol'));
  const sources = files.map((file) => [file, { content: readFileSync(join(SOURCES, file), 'utf8') }]);
  const outputSelection = { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } };
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources),
    settings: { ...SETTINGS, outputSelection },
  };
  const output = JSON.parse(compiler.compile(JSON.stringify(input))) as CompilerOutput;
  if (output.errors !== undefined && output.errors.length > 0) {
    throw new Error(output.errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  }
  const contracts = Object.values(output.contracts).flatMap((file) => Object.entries(file));
  return Object.fromEntries(
    contracts
      .map(([name, { evm }]): [string, string] => [
        name,
        (RUNTIME_CODE.includes(name) ? evm.deployedBytecode : evm.bytecode).object,
      ])
      .filter(([, code]) => code !== '')
      .map(([name, code]) => [name, `0x${code}`]),
  );
}

/** Creation code of the published contracts, as their authors compiled it. */
function publishedContracts(require: NodeJS.Require): Record<string, string> {
  const factoryV2 = require('@uniswap/v2-core/build/UniswapV2Factory.json') as CompiledContract;
  const factoryV3 = require('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json');
  const managerV4 = require('@uniswap/v4-core/out/PoolManager.sol/PoolManager.json');
  return {
    UniswapV2Factory: `0x${factoryV2.evm.bytecode.object}`,
    UniswapV3Factory: (factoryV3 as { readonly bytecode: string }).bytecode,
    UniswapV4PoolManager: (managerV4 as { readonly bytecode: Code }).bytecode.object,
  };
}

function write(file: string, contracts: Record<string, string>): void {
  const sorted = Object.entries(contracts).sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(join(ARTIFACTS, file), `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: node local/demo-chain/compile.ts FOLDER\n');
  process.exitCode = 2;
} else {
  const require = createRequire(join(resolve(folder), 'package.json'));
  write('contracts.json', compileContracts(require('solc')));
  write('uniswap.json', publishedContracts(require));
}
