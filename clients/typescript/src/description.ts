export interface components {
    schemas: {
        /** @description Lower case. */
        Address: string;
        Hash: string;
        Hex: string;
        /** @description Address of a pool; the 32-byte id with Uniswap V4. */
        PoolId: string;
        /** @description A whole number in decimal digits: it may exceed 2^53. */
        Decimal: string;
        SignedDecimal: string;
        /** @description A decimal fraction, exact, as text. */
        Fraction: string;
        /** @description ISO 8601, UTC. */
        Timestamp: string;
        /** @description What the answer reflects. */
        Meta: {
            /** @description Indexed head block the answer reflects. */
            as_of_block: number;
            /** @description 256 blocks below the indexed head, and never below 0: on a chain of fewer blocks it is the genesis block, which is final. */
            finalized_block: number;
            /**
             * @description Whether the data set is complete for what was asked: `partial` if blocks of the window are missing or `clamp` cut it, `none` if all of them are missing. Of balances and holders: `partial` if the address or the token moved between the snapshot and `as_of_block`. Prices, candles and daily figures are judged up to `finalized_block`.
             * @enum {string}
             */
            coverage: "full" | "partial" | "none";
            /** @description When the answer's data was last refreshed. */
            refreshed_at: components["schemas"]["Timestamp"];
            /** @description Rows that the query read; present only when known. */
            rows_read?: number;
            /** @description Query time in milliseconds. */
            query_ms: number;
        };
        /** @description A chain that the Data API has indexed. */
        Chain: {
            chain: string;
            chain_id: number;
        };
        /** @description A block. */
        Block: {
            number: number;
            hash: components["schemas"]["Hash"];
            parent_hash: components["schemas"]["Hash"];
            timestamp: components["schemas"]["Timestamp"];
            miner: components["schemas"]["Address"];
            /** @description Above 2^53, as on some development chains, a string of digits; null where a file without it is all that is known of the block. */
            gas_limit: number | null;
            gas_used: number;
            /** @description Null before EIP-1559. */
            base_fee_per_gas: string | null;
            state_root: components["schemas"]["Hash"];
            transactions_root: components["schemas"]["Hash"];
            receipts_root: components["schemas"]["Hash"];
            tx_count: number;
            /** @description Null where what is known of the block does not say it. */
            size: number | null;
            /** @description Block of the parent chain; null on chains that have none. */
            l1_block_number: number | null;
            /** @description extra_data, send_count, send_root, and all other fields of the node under its own names, unchanged: uncles where there are any, fields of layer 2s; of a single block its withdrawals too. `extra_omitted` has the names of fields that were too long. Blocks that are not covered by `/status/coverage/withdrawals` lack lists, booleans and long fields. */
            extra: Record<string, never>;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description How fresh one table is. */
        FreshnessRow: {
            /** @description Name of the chain. */
            database: string;
            /** @description Name of the table. */
            table_name: string;
            /** @description What the table belongs to. */
            category: string;
            /** @description What its rows are of: `block`, `day` or `snapshot`. */
            key_kind: string;
            /** @description Newest block with a row. A table that is empty because the chain has nothing of the kind is as fresh as the index: `follow_last_block`. */
            max_block_number: number;
            /** @description Time of that block. */
            max_time: components["schemas"]["Timestamp"];
            /** @description Seconds since that block. */
            seconds_behind: number;
            /** @description Blocks from that block to the head of the node. */
            blocks_behind: number;
            /** @description Rows, by the statistics of the database. */
            rows_estimate: number;
            /** @description Bytes with all indexes, by the statistics of the database. */
            bytes_estimate: number;
            /** @description Newest block that the data set covers; the first stored block where it covers none yet. */
            follow_last_block: number;
            /** @description Blocks from that block to the head of the node. */
            follow_lag_blocks: number;
            /** @description When this was read. */
            checked_at: components["schemas"]["Timestamp"];
            /**
             * Format: date
             * @description Newest day with a row; null where rows are not of days.
             */
            max_day: string | null;
            /** @description Days since that day. */
            days_behind: number | null;
            /** @description First block with traces; null but for traces. */
            trace_min_block: number | null;
            /** @description Last block with traces; null but for traces. */
            trace_max_block: number | null;
            /** @description Gaps in the traces; null but for traces. */
            trace_gap_ranges: number | null;
            /** @description Blocks in these gaps; null but for traces. */
            trace_gap_blocks: number | null;
        };
        /** @description A range of blocks that a data set has, or has not. */
        CoverageRange: {
            from_block: number;
            to_block: number;
            /** @enum {string} */
            state: "covered" | "gap";
            /** @description Why blocks are missing: not_started, node_pruned, timeout, rpc_error, unsupported, next_snapshot (of balances: the next snapshot has them); null where covered. */
            reason: string | null;
        };
        /** @description How much of some stored blocks is proven. */
        ProofLevel: {
            /** @description First of the blocks that are counted. */
            from_block: number;
            /** @description Last of them. */
            to_block: number;
            /** @description How many of them are stored. */
            blocks: number;
            /** @description Blocks whose hash nodes of two operators name, themselves or by the blocks above. */
            hash_agreed: number;
            /** @description Blocks whose hash one operator names. */
            hash_single: number;
            /** @description Blocks on a branch of which another operator names another: none of them becomes final while that is so. */
            hash_contradicted: number;
            /** @description Blocks whose hash comes out of the header. */
            header_computed: number;
            /** @description Blocks where nodes of two operators have the same, which the form of the chain does not cover. */
            header_agreed: number;
            /** @description Blocks where it is as one node says. */
            header_told: number;
            /** @description Blocks whose root of transactions comes out of them. */
            transactions_computed: number;
            /** @description Blocks where nodes of two operators have the same, which the form of the chain does not cover. */
            transactions_agreed: number;
            /** @description Blocks where it is as one node says. */
            transactions_told: number;
            /** @description Blocks whose senders all signed, or stand in what their root commits to. */
            senders_computed: number;
            /** @description Blocks where nodes of two operators have the same, which the form of the chain does not cover. */
            senders_agreed: number;
            /** @description Blocks where it is as one node says. */
            senders_told: number;
            /** @description Blocks whose root of receipts comes out of them, with their logs. */
            receipts_computed: number;
            /** @description Blocks where nodes of two operators have the same, which the form of the chain does not cover. */
            receipts_agreed: number;
            /** @description Blocks where it is as one node says. */
            receipts_told: number;
            /** @description Blocks whose root of withdrawals comes out of them, or which have none by the form of the chain. */
            withdrawals_computed: number;
            /** @description Blocks where nodes of two operators have the same, which the form of the chain does not cover. */
            withdrawals_agreed: number;
            /** @description Blocks where it is as one node says. */
            withdrawals_told: number;
        };
        /** @description A transaction with its receipt. */
        Transaction: {
            hash: components["schemas"]["Hash"];
            block_number: number;
            block_hash: components["schemas"]["Hash"];
            transaction_index: number;
            timestamp: components["schemas"]["Timestamp"];
            /** @description Transaction type; 100 to 106 are those of Arbitrum chains. */
            type: number;
            from: components["schemas"]["Address"];
            /** @description Null for the creation of a contract. */
            to: string | null;
            /** @description The contract that was created. */
            contract_address: string | null;
            /** @description Null for a deposit of the OP stack whose node does not tell it. */
            nonce: number | null;
            /** @description In wei. */
            value: components["schemas"]["Decimal"];
            /** @description Gas limit. Above 2^53, as in system transactions of some chains, a string of digits. */
            gas: number;
            gas_price: string | null;
            effective_gas_price: string | null;
            max_fee_per_gas: string | null;
            max_priority_fee_per_gas: string | null;
            gas_used: number;
            /** @description Part of gas_used that paid for the parent chain; null on chains that do not tell. */
            gas_used_for_l1: number | null;
            l1_block_number: number | null;
            cumulative_gas_used: number;
            /** @description 1: succeeded, 0: reverted; null where the chain does not say. */
            status: number | null;
            /** @description gas_used times effective_gas_price, in wei. */
            fee: string | null;
            /** @description `fee` and what was paid beside gas: for the parent chain (`l1_fee`), blobs and the operator of the chain, in wei. Null if the block came from a source without such fields. */
            total_fee: string | null;
            /** @description First four bytes of the input. */
            method_id: string | null;
            /** @description Bytes of the input. */
            input_size: number;
            log_count: number;
            /** @description Request id of an Arbitrum retryable. */
            request_id: string | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description A log. */
        Log: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            address: components["schemas"]["Address"];
            topics: components["schemas"]["Hash"][];
            /** @description The first 16 KiB of long data. */
            data: components["schemas"]["Hex"];
            /** @description Bytes of the whole data. */
            data_size: number;
            data_truncated: boolean;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description What shows that a transaction, its receipt and its logs are in a block. */
        TransactionProof: {
            transaction_hash: components["schemas"]["Hash"];
            block_number: number;
            block_hash: components["schemas"]["Hash"];
            transaction_index: number;
            /**
             * @description `agreed`: nodes of two operators name this hash for the number of the block; `single`: fewer do.
             * @enum {string}
             */
            hash: "agreed" | "single";
            /** @description RLP of `transaction_index`: the key in both tries. */
            key: components["schemas"]["Hex"];
            /** @description RLP of the header; its keccak is the hash of the block. */
            header: components["schemas"]["Hex"];
            /** @description RLP of the nodes from the root of the transactions down to this one. A node shorter than 32 bytes is within its parent; so in the next one. */
            transaction_path: components["schemas"]["Hex"][];
            /** @description From the root of the receipts down to that of the transaction. */
            receipt_path: components["schemas"]["Hex"][];
            /** @description With `log_index`: place of the log in the receipt, from 0. */
            log_place: number | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description A transaction with its receipt and its input. */
        TransactionDetail: {
            hash: components["schemas"]["Hash"];
            block_number: number;
            block_hash: components["schemas"]["Hash"];
            transaction_index: number;
            timestamp: components["schemas"]["Timestamp"];
            /** @description Transaction type; 100 to 106 are those of Arbitrum chains. */
            type: number;
            from: components["schemas"]["Address"];
            /** @description Null for the creation of a contract. */
            to: string | null;
            /** @description The contract that was created. */
            contract_address: string | null;
            /** @description Null for a deposit of the OP stack whose node does not tell it. */
            nonce: number | null;
            /** @description In wei. */
            value: components["schemas"]["Decimal"];
            /** @description Gas limit. Above 2^53, as in system transactions of some chains, a string of digits. */
            gas: number;
            gas_price: string | null;
            effective_gas_price: string | null;
            max_fee_per_gas: string | null;
            max_priority_fee_per_gas: string | null;
            gas_used: number;
            /** @description Part of gas_used that paid for the parent chain; null on chains that do not tell. */
            gas_used_for_l1: number | null;
            l1_block_number: number | null;
            cumulative_gas_used: number;
            /** @description 1: succeeded, 0: reverted; null where the chain does not say. */
            status: number | null;
            /** @description gas_used times effective_gas_price, in wei. */
            fee: string | null;
            /** @description `fee` and what was paid beside gas: for the parent chain (`l1_fee`), blobs and the operator of the chain, in wei. Null if the block came from a source without such fields. */
            total_fee: string | null;
            /** @description First four bytes of the input. */
            method_id: string | null;
            /** @description Bytes of the input. */
            input_size: number;
            log_count: number;
            /** @description Request id of an Arbitrum retryable. */
            request_id: string | null;
            /** @description The first 16 KiB of a long input. */
            input: components["schemas"]["Hex"];
            input_truncated: boolean;
            /** @description What was paid for the parent chain beside gas, in wei, as the receipt has it (OP stack, Scroll); null without it. */
            l1_fee: string | null;
            /** @description What was paid to the operator of an OP stack chain, in wei; null where there is no such fee. */
            operator_fee: string | null;
            /** @description As in the receipt; OP stack chains count their data by it, without a price. */
            blob_gas_used: number | null;
            blob_gas_price: string | null;
            /** @description As the node has it (EIP-2930); `[]` if it had none. Null if the block came from a source without such fields (`/status/coverage/withdrawals` does not cover it), or if `extra_omitted` names it; the next two likewise. */
            access_list: components["schemas"]["NodeObject"][] | null;
            /** @description As the node has it (EIP-7702). */
            authorization_list: components["schemas"]["NodeObject"][] | null;
            /** @description Hashes of its blobs (EIP-4844). */
            blob_versioned_hashes: components["schemas"]["Hash"][] | null;
            /** @description Further fields of the transaction, by the node's names and to the letter. */
            extra: Record<string, never>;
            /** @description Further fields of the receipt; `{}` if there are none. Null if the block came from a source without such fields. */
            receipt_extra: Record<string, never> | null;
            /** @description Names of fields of the node that were too long for `extra` and `receipt_extra`: ask the node; `[]` if none was. Null if the block came from a source without such fields: then lists, booleans and long fields are missing. */
            extra_omitted: string[] | null;
            /** @description With include_logs=true: the first 500 logs, or fewer if they are long. */
            logs?: components["schemas"]["Log"][];
            /** @description With include_logs=true: whether the transaction has more logs than these; all are at `/transactions/{hash}/logs`. */
            logs_truncated?: boolean;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description A transfer of tokens that an event announces. */
        Transfer: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            /** @description Place in an ERC-1155 batch, else 0. */
            batch_index: number;
            /** @enum {string} */
            standard: "erc20" | "erc721" | "erc1155";
            token: components["schemas"]["Address"];
            /** @description Null for ERC-20. */
            token_id: string | null;
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"];
            /** @description Raw amount as the event says; 1 for ERC-721. */
            amount: components["schemas"]["Decimal"];
            /** @enum {string} */
            kind: "transfer" | "mint" | "burn" | "wrap" | "unwrap";
            /** @description Who sent the transaction: not `from` where somebody moved what is not his. Null where the transaction is not indexed. */
            initiator: string | null;
            /** @description The amount in shares of a tokenised stock, in its decimals, cut off as the contract does; null for other tokens. */
            ui_amount: string | null;
            /** @description Multiplier in force at the time of the row, 18 decimals; null for tokens that are no stock. */
            ui_multiplier: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_decimals?: number | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description A transfer, seen from an address. */
        AddressTransfer: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            /** @description Place in an ERC-1155 batch, else 0. */
            batch_index: number;
            /** @enum {string} */
            standard: "erc20" | "erc721" | "erc1155";
            token: components["schemas"]["Address"];
            /** @description Null for ERC-20. */
            token_id: string | null;
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"];
            /** @description Raw amount as the event says; 1 for ERC-721. */
            amount: components["schemas"]["Decimal"];
            /** @enum {string} */
            kind: "transfer" | "mint" | "burn" | "wrap" | "unwrap";
            /** @description Who sent the transaction: not `from` where somebody moved what is not his. Null where the transaction is not indexed. */
            initiator: string | null;
            /** @description The amount in shares of a tokenised stock, in its decimals, cut off as the contract does; null for other tokens. */
            ui_amount: string | null;
            /** @description Multiplier in force at the time of the row, 18 decimals; null for tokens that are no stock. */
            ui_multiplier: string | null;
            /** @enum {string} */
            direction: "in" | "out" | "self";
            /** @description Null if the token says none; only with `include=token`. */
            token_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_decimals?: number | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description What an address did. */
        Activity: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            /**
             * @description In the order that they have within a block.
             * @enum {string}
             */
            kind: "transaction" | "internal_transfer" | "transfer" | "trade";
            /** @description Of transfers and trades. */
            log_index: number | null;
            /** @description Of transfers: place in an ERC-1155 batch, else 0. */
            batch_index: number | null;
            /** @description Of internal transfers. */
            trace_index: number | null;
            /** @description Null of trades. */
            direction: string | null;
            /** @description Null of trades. */
            from: string | null;
            /** @description Null of trades, and of transactions that make a contract. */
            to: string | null;
            /** @description Who sent the transaction: not `from` where somebody moved what is not his. Null where the transaction is not indexed. */
            initiator: string | null;
            /** @description `native` of transactions and internal transfers; null of trades. */
            standard: string | null;
            /** @description Of transfers. */
            token: string | null;
            /** @description Of transfers of NFTs. */
            token_id: string | null;
            /** @description Raw amount; null of trades. */
            amount: string | null;
            /** @description Of transactions: 1 if it succeeded. */
            status: number | null;
            /** @description Of transactions. */
            method_id: string | null;
            /** @description Of trades. */
            pool_id: string | null;
            /** @description Of trades: what the pool took. */
            token_in: string | null;
            /** @description Of trades. */
            amount_in: string | null;
            /** @description Of trades: what the pool gave. */
            token_out: string | null;
            /** @description Of trades. */
            amount_out: string | null;
            /** @description Of trades; null where nothing quotes the pair. */
            amount_usd: string | null;
            /** @description Whether there is a `spam_reason`. */
            possible_spam: boolean;
            /** @description Of transfers. `zero`: a transaction that the address did not send moved nothing from or to it. `name`: the name or symbol of the token has a link, or says to claim something. */
            spam_reason: string | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description An approval that an address gave. */
        Approval: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            /**
             * @description `approval` of an amount, `approval_of_item` of one NFT, `approval_for_all` of all items of a collection, `permit2` of an amount through Permit2.
             * @enum {string}
             */
            kind: "approval" | "approval_of_item" | "approval_for_all" | "permit2";
            /** @description The token or collection; a contract that says so, which may be gone. */
            token: components["schemas"]["Address"];
            spender: components["schemas"]["Address"];
            /** @description Of `approval_of_item`. */
            token_id: string | null;
            /** @description Raw amount that was approved, 2^256-1 for any; null where it is of items, or the event says none. */
            amount: string | null;
            /** @description False where the event ends an approval. */
            approved: boolean;
            /** @description Of `permit2`: second since 1970 behind which it holds no more. */
            expiration: number | null;
            /** @enum {string} */
            known_by: "allowance" | "approved";
            /** @description What is left at `allowance_block`, whichever event came last: a raw amount, or 1 and 0 of items. Null if `known_by` is `approved`. */
            allowance: string | null;
            allowance_block: number | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description What a token called itself before. */
        FormerName: {
            name: string | null;
            symbol: string | null;
            decimals: number | null;
            /** @description The block at which it was found to say something else. */
            to_block: number;
        };
        /** @description A token. */
        Token: {
            address: components["schemas"]["Address"];
            /** @enum {string} */
            standard: "erc20" | "erc721" | "erc1155";
            name: string | null;
            symbol: string | null;
            decimals: number | null;
            /** @description As of a finalized block: read with each balances snapshot after the token has moved. Before the first, as of when the token was found. */
            total_supply: string | null;
            /** @description As of the newest balances snapshot; null where that has none: of NFTs, and of tokens that are younger. */
            holder_count: number | null;
            /** @description Up to `finalized_block`. */
            transfer_count: number;
            first_seen_block: number;
            /**
             * @description How balances behave: any but `standard` is read from the chain alone.
             * @enum {string}
             */
            balance_model: "standard" | "rebasing" | "fee_on_transfer" | "non_standard";
            /** @enum {string} */
            metadata_status: "pending" | "complete" | "partial" | "absent";
            is_stock: boolean;
            /** @description Decimals that it says since a reading, which the next one has to say too. Until then `decimals` stay, and the token makes no price; else null. */
            new_decimals: number | null;
            /** @description What it called itself before, the newest first, at most ten. */
            former_names: components["schemas"]["FormerName"][];
        };
        /** @description A token of a batch. */
        BatchedToken: {
            /** @description As it was asked for, in lower case. */
            address: components["schemas"]["Address"];
            /** @description Null if it was found, else `not_found`. */
            error: string | null;
            /** @description Null if it was not found. */
            token: components["schemas"]["Token"] | null;
        };
        /** @description A transaction of a batch. */
        BatchedTransaction: {
            /** @description As it was asked for, in lower case. */
            hash: components["schemas"]["Hash"];
            /** @description Null if it was found, else `not_found` or `finality_exceeded`. */
            error: string | null;
            /** @description Null if it was not found. */
            transaction: components["schemas"]["Transaction"] | null;
        };
        /** @description A price of a batch. */
        BatchedPrice: {
            /** @description As it was asked for, in lower case. */
            token: components["schemas"]["Address"];
            /** @description Null if it was found, else `not_found`. */
            error: string | null;
            /** @description Null if it was not found. */
            price: components["schemas"]["Price"] | null;
            /** @description Why there is no price: `no_pool`; `unlisted_factory`: no listed factory made its pools; `no_quote`: they are against tokens without a price; `no_depth`; `thin`: less than 25 USD of depth. Null with a price. */
            unpriced_reason: string | null;
        };
        /** @description A balance. */
        Balance: {
            /** @description Token contract address, lowercase hex. */
            token: components["schemas"]["Address"];
            /** @description Raw amount; only non-zero balances are listed. With `native=true` that of the native coin may be 0, and is null where no node says it. */
            balance: string | null;
            /**
             * @description Token symbol, as the token says it; empty if it says none.
             * @default
             */
            symbol: string & (unknown | "");
            /**
             * @description Token decimals, as the token says them; -1, which is no scale, if it says none: the balance is of raw units then.
             * @default -1
             */
            decimals: number & (unknown | -1);
            /** @description Block that the balance is of; null where no node says the native balance; only with `native=true`. */
            as_of_block?: number | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_decimals?: number | null;
        };
        /** @description A balance at a snapshot; snapshots at which it did not change are left out. */
        BalancePoint: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            balance: components["schemas"]["Decimal"];
            /** @enum {string} */
            method: "ledger" | "balance_of";
            /** @enum {string} */
            confidence: "verified" | "unverified" | "rebasing";
        };
        /** @description A holder of a token. */
        Holder: {
            holder: components["schemas"]["Address"];
            balance: components["schemas"]["Decimal"];
            /** @description Share of the total supply, in basis points, rounded down; null if the supply is not known, or below the balance. */
            share_bps: number | null;
            /** @enum {string} */
            method: "ledger" | "balance_of";
            /** @enum {string} */
            confidence: "verified" | "unverified" | "rebasing";
            block_number: number;
            /** @description The amount in shares of a tokenised stock, in its decimals, cut off as the contract does; null for other tokens. */
            ui_amount: string | null;
            /** @description Multiplier in force at the time of the row, 18 decimals; null for tokens that are no stock. */
            ui_multiplier: string | null;
        };
        /** @description NFTs of an owner. */
        NftHolding: {
            token: components["schemas"]["Address"];
            token_id: components["schemas"]["Decimal"];
            /** @enum {string} */
            standard: "erc721" | "erc1155";
            amount: components["schemas"]["Decimal"];
            name: string | null;
            symbol: string | null;
            /** @description What the contract announced (ERC-1155), else what it answered to `tokenURI` or `uri` when it was asked, once, soon after the item was first seen. Null until then, where it says nothing, and where `token_uri_omitted`. */
            token_uri: string | null;
            /** @description Whether the URI has more than some 24 KB, too many to be kept: ask the contract. */
            token_uri_omitted: boolean;
            /** @description Bytes of the URI as the contract says it. */
            token_uri_size: number | null;
            acquired_block: number;
            acquired_at: components["schemas"]["Timestamp"];
        };
        /** @description A collection. */
        NftCollection: {
            address: components["schemas"]["Address"];
            /** @enum {string} */
            standard: "erc721" | "erc1155";
            name: string | null;
            symbol: string | null;
            transfer_count: number;
            first_seen_block: number;
        };
        /** @description An item of a collection. */
        NftItem: {
            token: components["schemas"]["Address"];
            token_id: components["schemas"]["Decimal"];
            /** @description What the contract announced (ERC-1155), else what it answered to `tokenURI` or `uri` when it was asked, once, soon after the item was first seen. Null until then, where it says nothing, and where `token_uri_omitted`. */
            token_uri: string | null;
            /** @description Whether the URI has more than some 24 KB, too many to be kept: ask the contract. */
            token_uri_omitted: boolean;
            /** @description Bytes of the URI as the contract says it. */
            token_uri_size: number | null;
            first_seen_block: number;
            updated_block: number;
        };
        /** @description An owner of an item. */
        NftOwner: {
            owner: components["schemas"]["Address"];
            token_id: components["schemas"]["Decimal"];
            /** @enum {string} */
            standard: "erc721" | "erc1155";
            amount: components["schemas"]["Decimal"];
            acquired_block: number;
            acquired_at: components["schemas"]["Timestamp"];
        };
        /** @description A pool. */
        Pool: {
            pool_id: components["schemas"]["PoolId"];
            protocol: string;
            factory: components["schemas"]["Address"];
            /** @description Whether the gateway knows its factory. Anybody can announce a pool: one of another factory is what its factory says of it, and prices nothing. */
            listed_factory: boolean;
            token0: components["schemas"]["Address"];
            token1: components["schemas"]["Address"];
            /** @description Hundredths of a basis point. Null where it is dynamic, and for V2, whose contracts do not say it. */
            fee_pips: number | null;
            dynamic_fee: boolean;
            tick_spacing: number | null;
            hooks: string | null;
            /** @description Whether the hook may give and take in swaps itself. The amounts of trades are those of the event, without what the hook did. */
            hook_changes_amounts: boolean;
            created_block: number;
            created_at: components["schemas"]["Timestamp"];
            reserve0: string | null;
            reserve1: string | null;
            sqrt_price_x96: string | null;
            tick: number | null;
            liquidity: string | null;
            /** @description Null where nothing quotes the pair. */
            liquidity_usd: string | null;
            updated_block: number;
            /** @description Null if the token says none; only with `include=token`. */
            token0_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token0_decimals?: number | null;
            /** @description Null if the token says none; only with `include=token`. */
            token1_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token1_decimals?: number | null;
        };
        /** @description A swap in a pool. */
        Trade: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            /** @description uniswap_v2, uniswap_v3, uniswap_v4, ... */
            protocol: string;
            pool_id: components["schemas"]["PoolId"];
            token_in: components["schemas"]["Address"];
            token_out: components["schemas"]["Address"];
            amount_in: components["schemas"]["Decimal"];
            amount_out: components["schemas"]["Decimal"];
            /** @description Null where nothing quotes the pair; never 0 for that. */
            amount_usd: string | null;
            usd_method: string | null;
            /**
             * @description `flash`: a V2 pool got back what it had lent. At least one amount is 0: nothing was traded.
             * @enum {string}
             */
            kind: "swap" | "flash";
            sender: components["schemas"]["Address"];
            recipient: string | null;
            /** @description Account that sent the transaction, or the sender of the user operation. */
            trader: components["schemas"]["Address"];
            /** @enum {string} */
            trader_kind: "tx_from" | "userop_sender";
            /** @description Hundredths of a basis point. Null for V2, whose contracts do not say it. */
            fee_pips: number | null;
            sqrt_price_x96: string | null;
            tick: number | null;
            liquidity: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_in_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_in_decimals?: number | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_out_symbol?: string | null;
            /** @description Null if the token says none; only with `include=token`. */
            token_out_decimals?: number | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description A change of liquidity. */
        LiquidityEvent: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            log_index: number;
            protocol: string;
            pool_id: components["schemas"]["PoolId"];
            /** @enum {string} */
            kind: "initialize" | "sync" | "mint" | "burn" | "collect" | "modify" | "donate";
            owner: string | null;
            tick_lower: number | null;
            tick_upper: number | null;
            liquidity_delta: string | null;
            amount0: string | null;
            amount1: string | null;
            sqrt_price_x96: string | null;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description A candle. The four prices are null where no trade is near the price of the token then, and of a pool of which one token says no decimals. */
        Candle: {
            start: components["schemas"]["Timestamp"];
            open: string | null;
            high: string | null;
            low: string | null;
            close: string | null;
            volume_base: components["schemas"]["Decimal"];
            volume_quote: string | null;
            volume_usd: string | null;
            trades: number;
            first_block: number;
            last_block: number;
            /** @description Whether the finalized block is past its end and all of it is derived. */
            complete: boolean;
        };
        /** @description The price of 10^decimals raw units of a token. */
        Price: {
            token: components["schemas"]["Address"];
            price_usd: components["schemas"]["Fraction"];
            /** @description A price more than 20 % away that has not stood yet: the price becomes this one if it does. Else null. */
            pending_price_usd: string | null;
            /**
             * @description By the depth that stood, and by whether a second pool, or a fresh oracle, agrees.
             * @enum {string}
             */
            confidence: "low" | "medium" | "high";
            /** @description Why the confidence is not higher. */
            reasons: string[];
            /** @description `peg`, `stable_pool`, `native_pool` or `oracle`. */
            method: string;
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            pool_id: string | null;
            /** @description Ids of the pools that agree with the price, the deepest first. */
            sources: string[];
            /** @description What the pool holds on its other side; no more than its active liquidity would hold there over all prices. 0 where it has lost its liquidity since: the price is the last one, and prices nothing. Null for a peg. */
            liquidity_usd: string | null;
            /** @description What a trade moves the price by 2 % with, in all pools that agree: the least of the last 10 minutes. Null for a peg. */
            depth_usd: string | null;
            /** @description What has to be spent at least to move this price by 2 %, by trades that stand. Null for a peg and an oracle. */
            cost_to_move_usd: string | null;
            sample_trades: number;
        };
        /** @description Figures of a tokenised stock for one day. */
        StockDay: {
            /**
             * Format: date
             * @description UTC day.
             */
            day: string;
            token: components["schemas"]["Address"];
            /** @description The same as `token`. */
            address: components["schemas"]["Address"];
            symbol: string | null;
            name: string | null;
            transfers: number;
            transfers_raw_amount: components["schemas"]["Decimal"];
            /** @description Each amount with the multiplier in force at its time. */
            transfers_ui_amount: components["schemas"]["Decimal"];
            unique_senders: number;
            unique_receivers: number;
            mint_raw_amount: components["schemas"]["Decimal"];
            burn_raw_amount: components["schemas"]["Decimal"];
            net_supply_change: components["schemas"]["SignedDecimal"];
            holder_count: number | null;
            /** @description Share of the ten largest holders, in basis points. */
            top10_holder_share_bps: number | null;
            dex_swap_count: number;
            dex_raw_volume: components["schemas"]["Decimal"];
            dex_vwap_usd: string | null;
            /** @description At the end of the day, 18 decimals; this and the following are null on a day without figures. */
            ui_multiplier: string | null;
            oracle_price_usd: string | null;
            /** @description DEX price above the oracle price, in basis points. */
            premium_bps: number | null;
            first_block: number | null;
            last_block: number | null;
            refreshed_at: string | null;
        };
        /** @description A tokenised stock (ERC-8056). */
        Stock: {
            token: components["schemas"]["Address"];
            /** @description The same as `token`. */
            address: components["schemas"]["Address"];
            issuer: string;
            symbol: string | null;
            name: string | null;
            uid: string | null;
            decimals: number | null;
            /** @description In force at the indexed head, 18 decimals. */
            ui_multiplier: components["schemas"]["Decimal"];
            /** @description Announced and not in force yet. */
            new_ui_multiplier: string | null;
            /** @description When the announced one takes effect. */
            effective_at: string | null;
            /** @description As of the newest balances snapshot. */
            oracle_paused: boolean | null;
            price_feed: string | null;
            /** @description As of a finalized block: read with each balances snapshot after the token has moved. Before the first, as of when the token was found. */
            total_supply: string | null;
            total_supply_ui: string | null;
            /** @description As of the newest balances snapshot; null if the stock is younger. */
            holder_count: number | null;
            registered_block: number;
            /** @description The newest 30 days. */
            daily: components["schemas"]["StockDay"][];
        };
        /** @description An announced change of a multiplier. It takes effect at its time, with no event then. */
        Multiplier: {
            token: components["schemas"]["Address"];
            block_number: number;
            log_index: number;
            transaction_hash: components["schemas"]["Hash"];
            timestamp: components["schemas"]["Timestamp"];
            old_multiplier: components["schemas"]["Decimal"];
            new_multiplier: components["schemas"]["Decimal"];
            set_at: components["schemas"]["Timestamp"];
            effective_at: components["schemas"]["Timestamp"];
            /**
             * @description At the time of the indexed head.
             * @enum {string}
             */
            status: "pending" | "effective" | "superseded";
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description A balance of a tokenised stock. */
        StockHolding: {
            token: components["schemas"]["Address"];
            symbol: string | null;
            name: string | null;
            issuer: string;
            decimals: number | null;
            balance: components["schemas"]["Decimal"];
            /** @description In shares, with the multiplier in force at the snapshot. */
            ui_balance: components["schemas"]["Decimal"];
            ui_multiplier: components["schemas"]["Decimal"];
            /** @description Last price of a whole token up to `as_of_block`; null if none is known. */
            price_usd: string | null;
            /** @description Value of the balance at that price, to six decimals; null without a price, where the token says no decimals, or above 100 times the liquidity behind the price, which nobody could pay. */
            value_usd: string | null;
            /** @description As much of the value as the pools behind the price pay within 2 % of it, at the lower of the price and one that is pending; the sum of these is the total to rely on. Of a token with a peg, its value. */
            sellable_usd: string | null;
            /** @description Why there is no price: `no_pool`; `unlisted_factory`: no listed factory made its pools; `no_quote`: they are against tokens without a price; `no_depth`; `thin`: less than 25 USD of depth. Or why the balance has no value: `no_decimals`; `no_depth`; `worth`: it is worth more than 100 times what the market of the token holds. Else null. */
            unpriced_reason: string | null;
            /** @description `confidence` of the price: `low`, `medium` or `high`. */
            price_confidence: string | null;
            /** @description Block that the price is of. */
            price_block_number: number | null;
            /** @description Whether there is a `spam_reason`. */
            possible_spam: boolean;
            /** @description `worth`: the balance is worth more than 100 times what the market of the token holds. `name`: its name or symbol has a link, or says to claim something. */
            spam_reason: string | null;
            block_number: number;
        };
        /** @description A call within a transaction. */
        Trace: {
            /** @description Number of the block. */
            block_number: number;
            /** @description Time of the block. */
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            /** @description Place of the transaction in its block. */
            transaction_index: number;
            /** @description Place in the transaction, depth first; 0 is its own call. */
            trace_index: number;
            trace_address: number[];
            depth: number;
            type: string;
            from: components["schemas"]["Address"];
            to: string | null;
            value: components["schemas"]["Decimal"];
            gas: number;
            gas_used: number;
            method_id: string | null;
            /** @description The first 2 KiB of a long input. */
            input: components["schemas"]["Hex"];
            input_size: number;
            input_truncated: boolean;
            output: components["schemas"]["Hex"];
            output_size: number;
            output_truncated: boolean;
            error: string | null;
            revert_reason: string | null;
            subcalls: number;
            reverted_by_parent: boolean;
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description An hour in UTC, such as `2026-11-20T23`. */
        UtcHour: string;
        /** @description What an account used in an hour. */
        AccountHour: {
            hour: components["schemas"]["UtcHour"];
            /** @description Whether the hour is settled. What arrives late is settled by a further revision, and then shows here. */
            settled: boolean;
            /** @description Compute units of all methods. */
            cu: number;
            /** @description By chain and method. */
            usage: components["schemas"]["MethodUsage"][];
        };
        /** @description What was used of a chain and method. */
        MethodUsage: {
            /** @description `*`: what belongs to no chain, or to several. */
            chain: string;
            /** @description Method of JSON-RPC, or `data/` and an operation of the Data API. `rows`: the twenties of rows beyond those that a price includes, at 1 CU each; `*20`: calls at 20 CU each that have no row of their own, as the names are unknown or there are very many. */
            method: string;
            /** @description Calls that were billed, those below included. */
            calls: number;
            /** @description Compute units that they were billed. */
            cu: number;
            /** @description Calls that were answered from the cache. */
            cached: number;
            /** @description Calls that the node answered with an error. */
            errors: number;
        };
        /** @description What one settlement moved. */
        Settlement: {
            hour: components["schemas"]["UtcHour"];
            /** @description Counts the settlements of the hour; those after the first are of usage that arrived late. */
            revision: number;
            /** @description Compute units that this one moved. */
            settled_cu: number;
            /** @description Compute units of the hour, this one included. */
            total_cu: number;
            /** @description Billing units that this one added. */
            billing_units: number;
            /** @description What is left of the total below a whole billing unit. It is not carried into another hour. */
            remainder_cu: number;
            /** @description Lanes that add up to the total. */
            lanes: number;
            /** @description SHA-256 of what each lane had come to. */
            digest: string;
            settled_at: components["schemas"]["Timestamp"];
            /** @description What the whole hour was charged for: `<chain> <method>:<calls>:<cu>:<cached>:<errors>`, further methods behind a space, further chains behind `;`; of the last two numbers, those that are 0 are left out. `cu` is (calls - cached) x price + cached. Its SHA-256, in base64url, is `usage` of the statement. */
            usage: string;
            /** @description What the record states, as the text whose hash a signed head has: JSON. */
            statement: string;
        };
        /** @description What one process of the gateway has charged in an hour. */
        Lane: {
            /** @description Partition of the account that the lane is stored in. */
            shard: number;
            /** @description As `X-CU-Lane` names it. */
            lane: string;
            /** @description Charges in it. */
            n: number;
            /** @description Compute units of them. */
            total_cu: number;
        };
        /** @description What the account was granted, or what was taken back of it. */
        Credit: {
            /** @enum {string} */
            kind: "credit" | "debit";
            /** @description What it is for; each is used once by credits, and once by debits. */
            reference: string;
            /** @description Compute units that were granted or taken back. */
            cu: number;
            /** @description Why they were taken back; null for a credit. */
            reason: string | null;
            created_at: components["schemas"]["Timestamp"];
        };
        /** @description What a validator got outside of any transaction. */
        Withdrawal: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            /** @description Place among all withdrawals of the chain. */
            withdrawal_index: components["schemas"]["Decimal"];
            validator_index: components["schemas"]["Decimal"];
            to: components["schemas"]["Address"];
            /** @description In the smallest unit of the native token: the gwei of the node times 10^9. On Gnosis it is GNO. */
            value: components["schemas"]["Decimal"];
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description An object as the node has it. */
        NodeObject: {
            [key: string]: unknown;
        };
        /** @description What one lane had come to when a record was made. */
        Leaf: {
            /** @description Partition of the account that the lane is stored in. */
            shard: number;
            /** @description As `X-CU-Lane` names it. */
            lane: string;
            /** @description Charges in it. */
            n: number;
            /** @description Compute units of them. */
            total_cu: number;
            /** @description SHA-256, in base64url, of what they were for. */
            usage: string;
        };
        /** @description What lanes had come to, at least, when it was asked for. */
        Receipt: {
            /** @description JSON text with `account`, `hour`, `told_at` and `lanes`, each `<shard> <lane> <n> <total_cu>`. */
            receipt: string;
            /** @description Of that text: Ed25519, in base64. */
            signature: string;
            certificate: components["schemas"]["Certificate"];
        };
        /** @description Of a key that signs receipts. */
        Certificate: {
            /** @description JSON text with `day`, `revision` and the public `key`, in base64. */
            certificate: string;
            /** @description Of that text: ECDSA over P-256 and SHA-256, DER, in base64. */
            signature: string;
            /** @description Public key of the heads, in base64. */
            key: string;
        };
        /** @description What a transaction gave in the native token. */
        NativeTransfer: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            transaction_index: number;
            /**
             * @description Whether the transaction called `to`, or made it.
             * @enum {string}
             */
            kind: "call" | "create";
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"];
            /** @description In the smallest unit of the native token; more than 0. */
            value: components["schemas"]["Decimal"];
            /** @enum {string} */
            direction: "in" | "out" | "self";
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description What a call within a transaction gave in the native token. */
        InternalTransfer: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
            transaction_index: number;
            /** @description Place in the transaction, depth first; its own call, which is no internal transfer, has 0. */
            trace_index: number;
            /** @description Places of the calls that lead to this one. */
            trace_address: number[];
            /** @description `CALL`, `CREATE`, `CREATE2`, `SELFDESTRUCT`, as the node names it. */
            type: string;
            from: components["schemas"]["Address"];
            to: components["schemas"]["Address"];
            /** @description In the smallest unit of the native token; more than 0. */
            value: components["schemas"]["Decimal"];
            /** @enum {string} */
            direction: "in" | "out" | "self";
            /** @description Whether no reorganisation can take it back; only with `finality=latest`. */
            finalized?: boolean;
        };
        /** @description What an address is and has done, up to `finalized_block`. A transfer to itself is both sent and received. */
        AddressOverview: {
            address: components["schemas"]["Address"];
            /** @description First transaction, token transfer or call that names it, its creation included; null if none is indexed. Earlier ones may be missing where `coverage` is not `full`. */
            first_seen: components["schemas"]["BlockTime"] | null;
            /** @description The last one; null if none is indexed. */
            last_seen: components["schemas"]["BlockTime"] | null;
            /** @description What made the contract, the last time that it was made; it may have destroyed itself since. Null: `created_by_reason` says why. */
            created_by: string | null;
            /** @description `eoa`: a transaction of `created_by` made it. `contract`: a call of it did. `delegated`: a call did, of an account that has sent transactions, and so has a key (EIP-7702). Null without `created_by`. */
            created_by_kind: string | null;
            /** @description Where it was made; null without `created_by`. */
            created_in: components["schemas"]["CreationPlace"] | null;
            /** @description Why `created_by` is null: `not_seen`, nothing that is indexed made it, as with accounts that are no contracts and with those of the first block. `no_coverage`: transactions or traces of some blocks are missing, and it may have been made there. Null with `created_by`. */
            created_by_reason: string | null;
            /** @description Whether an EntryPoint of ERC-4337 that the chain lists has logged a user operation of which it is the sender. Null where none is indexed and `coverage` of `logs` is not `full`. */
            seen_as_smart_account: boolean | null;
            transactions_sent: components["schemas"]["ActivityCount"];
            transactions_received: components["schemas"]["ActivityCount"];
            erc20_transfers_sent: components["schemas"]["ActivityCount"];
            erc20_transfers_received: components["schemas"]["ActivityCount"];
            nft_transfers_sent: components["schemas"]["ActivityCount"];
            nft_transfers_received: components["schemas"]["ActivityCount"];
            coverage: components["schemas"]["AddressCoverage"];
            /** @description What it is known as; null if it is no token, collection, stock or pool that was seen. */
            label: components["schemas"]["AddressLabel"] | null;
            /** @description In the smallest unit of the native token, at `finalized_block`; null where no node says. */
            native_balance: string | null;
            /** @description Whether it has code at `finalized_block`; null where no node says. */
            has_code: boolean | null;
            /** @description By its code at `finalized_block`: `eoa` has none, `delegated` is an account with a key that runs the code of `delegated_to` (EIP-7702). Null where no node says. */
            account_kind: string | null;
            /** @description The contract whose code a `delegated` account runs, else null. */
            delegated_to: string | null;
            /** @description What kind of proxy it is, by its code or its storage at `finalized_block`: `eip1167`, `eip1967`, `beacon` (EIP-1967), or `none` of these. Null where no node says. */
            proxy_kind: string | null;
            /** @description The contract whose code a proxy runs, else null. */
            implementation: string | null;
        };
        /** @description A block and its time. */
        BlockTime: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
        };
        /** @description The transaction that made a contract. */
        CreationPlace: {
            block_number: number;
            timestamp: components["schemas"]["Timestamp"];
            transaction_hash: components["schemas"]["Hash"];
        };
        /** @description How many there are, as far as they are counted. */
        ActivityCount: {
            /** @description Null where no block is covered. */
            count: number | null;
            /** @description Whether these are all: there are no more than 1,000, and no block is missing. */
            exact: boolean;
        };
        /** @description How much of the blocks up to `finalized_block` is there, of each data set that an overview is made of. */
        AddressCoverage: {
            /** @enum {string} */
            transactions: "full" | "partial" | "none";
            /** @enum {string} */
            erc20_transfers: "full" | "partial" | "none";
            /** @enum {string} */
            nft_transfers: "full" | "partial" | "none";
            /** @enum {string} */
            traces: "full" | "partial" | "none";
            /** @enum {string} */
            logs: "full" | "partial" | "none";
        };
        /** @description What an address is known as. */
        AddressLabel: {
            /** @enum {string} */
            kind: "pool" | "stock" | "token" | "collection";
            /** @description As the contract says it. */
            name: string | null;
            /** @description As the contract says it. */
            symbol: string | null;
            /** @description `erc20`, `erc721` or `erc1155`; null if no transfer of it was seen. */
            standard: string | null;
            /** @description Of a pool. */
            protocol: string | null;
        };
        /** @description A balance with its value. */
        BalanceValue: {
            token: components["schemas"]["Address"];
            symbol: string | null;
            decimals: number | null;
            /** @description Raw amount; only non-zero balances are listed. With `native=true` that of the native coin may be 0, and is null where no node says it. */
            balance: string | null;
            /** @description Last price of a whole token up to `as_of_block`; null if none is known. */
            price_usd: string | null;
            /** @description Value of the balance at that price, to six decimals; null without a price, where the token says no decimals, or above 100 times the liquidity behind the price, which nobody could pay. */
            value_usd: string | null;
            /** @description As much of the value as the pools behind the price pay within 2 % of it, at the lower of the price and one that is pending; the sum of these is the total to rely on. Of a token with a peg, its value. */
            sellable_usd: string | null;
            /** @description Why there is no price: `no_pool`; `unlisted_factory`: no listed factory made its pools; `no_quote`: they are against tokens without a price; `no_depth`; `thin`: less than 25 USD of depth. Or why the balance has no value: `no_decimals`; `no_depth`; `worth`: it is worth more than 100 times what the market of the token holds. Else null. */
            unpriced_reason: string | null;
            /** @description `confidence` of the price: `low`, `medium` or `high`. */
            price_confidence: string | null;
            /** @description Block that the price is of. */
            price_block_number: number | null;
            /** @description Whether there is a `spam_reason`. */
            possible_spam: boolean;
            /** @description `worth`: the balance is worth more than 100 times what the market of the token holds. `name`: its name or symbol has a link, or says to claim something. */
            spam_reason: string | null;
            /** @description Block of the snapshot. */
            block_number: number;
            /** @description Block that the balance is of; null where no node says the native balance; only with `native=true`. */
            as_of_block?: number | null;
        };
        /** @description Present only when another page exists. */
        NextCursor: string;
    };
    responses: {
        /** @description A chain that the Data API has indexed: rows. */
        ChainList: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Chain"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description How fresh one table is: rows. */
        FreshnessRowList: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["FreshnessRow"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A range of blocks that a data set has, or has not: rows. */
        CoverageRangePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["CoverageRange"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description How much of some stored blocks is proven: rows. */
        ProofLevelPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["ProofLevel"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A block: rows. */
        BlockPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Block"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A block. */
        BlockAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Block"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A transaction with its receipt: rows. */
        TransactionPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Transaction"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A log: rows. */
        LogPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Log"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A call within a transaction: rows. */
        TracePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Trace"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description What shows that a transaction is in a block. */
        TransactionProofAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["TransactionProof"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A transaction with its receipt and its input. */
        TransactionDetailAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["TransactionDetail"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A transfer of tokens that an event announces: rows. */
        TransferPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Transfer"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A swap in a pool: rows. */
        TradePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Trade"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description What an address did: rows. */
        ActivityPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Activity"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description Approvals that an address gave: rows. */
        ApprovalPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Approval"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A transfer, seen from an address: rows. */
        AddressTransferPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["AddressTransfer"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A balance: rows. */
        BalancePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Balance"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A balance at a snapshot; snapshots at which it did not change are left out: rows. */
        BalancePointPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["BalancePoint"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description NFTs of an owner: rows. */
        NftHoldingPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["NftHolding"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A balance of a tokenised stock: rows. */
        StockHoldingPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["StockHolding"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A member of a batch, with what was found: rows. */
        TokenBatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["BatchedToken"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A member of a batch, with what was found: rows. */
        TransactionBatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["BatchedTransaction"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A member of a batch, with what was found: rows. */
        PriceBatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["BatchedPrice"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A token: rows. */
        TokenPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Token"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A token. */
        TokenAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Token"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A holder of a token: rows. */
        HolderPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Holder"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description The price of 10^decimals raw units of a token. */
        PriceAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Price"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A candle: rows. */
        CandlePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Candle"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description The price of 10^decimals raw units of a token: rows. */
        PriceList: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Price"][];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A collection. */
        NftCollectionAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["NftCollection"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An item of a collection: rows. */
        NftItemPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["NftItem"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An item of a collection. */
        NftItemAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["NftItem"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An owner of an item: rows. */
        NftOwnerPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["NftOwner"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A pool: rows. */
        PoolPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Pool"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A pool. */
        PoolAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Pool"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A change of liquidity: rows. */
        LiquidityEventPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["LiquidityEvent"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description Figures of a tokenised stock for one day: rows. */
        StockDayPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["StockDay"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An announced change of a multiplier. It takes effect at its time, with no event then: rows. */
        MultiplierPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Multiplier"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A tokenised stock (ERC-8056). */
        StockAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Stock"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An hour: rows. */
        AccountHourPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["AccountHour"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                };
            };
        };
        /** @description A settlement: rows. */
        SettlementPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Settlement"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                };
            };
        };
        /** @description Lanes: rows. */
        LanePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Lane"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                };
            };
        };
        /** @description Credits and debits: rows. */
        CreditPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Credit"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                };
            };
        };
        /** @description Lanes of a settlement: rows. */
        LeafPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Leaf"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                };
            };
        };
        /** @description One receipt; with `next_cursor`, the hour has more lanes. */
        ReceiptPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Receipt"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                };
            };
        };
        /** @description A native transfer: rows. */
        NativeTransferPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["NativeTransfer"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A withdrawal: rows. */
        WithdrawalPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["Withdrawal"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A native transfer within a transaction: rows. */
        InternalTransferPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["InternalTransfer"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description An overview of an address. */
        AddressOverviewAnswer: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["AddressOverview"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
        /** @description A balance with its value: rows. */
        BalanceValuePage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    data: components["schemas"]["BalanceValue"][];
                    next_cursor?: components["schemas"]["NextCursor"];
                    meta: components["schemas"]["Meta"];
                };
            };
        };
    };
    parameters: {
        /** @description Name of the chain. */
        ChainName: string;
        /** @description Most rows of a page. */
        Limit: number;
        /** @description Most rows of a page. */
        TraceLimit: number;
        /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
        Cursor: string;
        /** @description By block, the newest first unless `asc`. */
        Order: "asc" | "desc";
        /** @description Most rows of a page. */
        RecordLimit: number;
        /**
         * @description The hour in UTC.
         * @example 2026-11-20T09
         */
        Hour: string;
        /**
         * @description The hour in UTC.
         * @example 2026-11-20T09
         */
        SettledHour: string;
        /** @description Which of the settlements of the hour. */
        Revision: number;
        /** @description Most rows of a page. */
        LeafLimit: number;
        /** @description Most lanes of a receipt. */
        ReceiptLimit: number;
        /** @description By hour, the newest first unless `asc`. */
        HourOrder: "asc" | "desc";
        /** @description A moment of the first hour: any instant of ISO 8601, or seconds since 1970. Default: the first hour with usage. */
        FromHour: string;
        /** @description A moment of the last hour: any instant of ISO 8601, or seconds since 1970. Default: this hour. */
        ToHour: string;
        /** @description First block of the window. */
        FromBlock: number;
        /** @description Last block of the window. Default: the finalized block. */
        ToBlock: number;
        /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
        FromTime: string;
        /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
        ToTime: string;
        /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
        Clamp: boolean;
        /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
        Finality: "finalized" | "latest";
        /** @description `token` adds symbol and decimals beside each token of a row. */
        Include: "token";
        /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
        Format: "csv" | "ndjson" | "parquet";
        /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
        Trailer: "none";
        /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
        Csv: "raw";
        /** @description Begin with the native coin, as the token `0x0000000000000000000000000000000000000000` of 18 decimals, even if it is 0. Each row then has `as_of_block`: add up only rows that share it. A node says the native balance, at the block of the snapshot, or if none still has that state at `as_of_block` of `meta`; if none answers in two seconds it is null, and so is its block. */
        Native: boolean;
        /**
         * @description Leave out transfers and internal transfers of less, in whole coins or tokens by their decimals (`0.01`); those of tokens that say none are counted in raw units, and NFTs in pieces. A page ends as with `exclude_zero`.
         * @example 0.01
         */
        MinAmount: string;
        /** @description With `false`, leave out rows that have a `spam_reason`; with `true`, all others. A page ends as with `exclude_zero`. */
        PossibleSpam: boolean;
        /** @description Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues. */
        ExcludeZero: boolean;
        /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
        MaxRows: number;
        /**
         * @description Address, in any case.
         * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
         */
        AddressPath: string;
        /**
         * @description Address of the token, in any case.
         * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
         */
        TokenPath: string;
        /**
         * @description Address of the tokenised stock, in any case.
         * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
         */
        StockPath: string;
        /**
         * @description Address of the collection, in any case.
         * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
         */
        CollectionPath: string;
        /**
         * @description Id of the item.
         * @example 21
         */
        TokenIdPath: string;
        /**
         * @description Hash of the transaction.
         * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
         */
        TransactionHashPath: string;
        /**
         * @description Number of the block.
         * @example 699
         */
        BlockNumberPath: number;
        /**
         * @description Pool id.
         * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
         */
        PoolPath: string;
        /** @description Length of a candle. */
        Interval: "1m" | "5m" | "15m" | "1h" | "4h" | "1d";
        /** @description Only of this token. */
        TokenFilter: string;
        /** @description Only of this standard. */
        Standard: "erc20" | "erc721" | "erc1155" | "all";
        /** @description Only of this standard. */
        NftStandard: "erc721" | "erc1155" | "all";
        /** @description From (`out`) or to (`in`) the address. */
        Direction: "any" | "in" | "out";
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    listChains: {
        parameters: {
            query?: never;
            path?: never;
        };
        responses: {
            200: components["responses"]["ChainList"];
        };
    };
    getFreshness: {
        parameters: {
            query?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["FreshnessRowList"];
        };
    };
    listCoverage: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Name of the data set.
                 * @example traces
                 */
                dataset: "blocks" | "transactions" | "logs" | "erc20_transfers" | "nft_transfers" | "tokens" | "nft_owners" | "balances" | "dex_pools" | "dex_swaps" | "dex_liquidity_events" | "token_prices" | "candles" | "stock_tokens" | "stock_multipliers" | "stock_daily" | "traces" | "withdrawals";
            };
        };
        responses: {
            200: components["responses"]["CoverageRangePage"];
        };
    };
    listProofLevels: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["ProofLevelPage"];
        };
    };
    listBlocks: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["BlockPage"];
        };
    };
    getBlock: {
        parameters: {
            query?: {
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Number of the block.
                 * @example 699
                 */
                number: components["parameters"]["BlockNumberPath"];
            };
        };
        responses: {
            200: components["responses"]["BlockAnswer"];
        };
    };
    getBlockByHash: {
        parameters: {
            query?: {
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Hash of the block.
                 * @example 0x8007b9d72ac57ff9350867962246954bf6bb29043c9bf4e995ff243992db4fd3
                 */
                hash: string;
            };
        };
        responses: {
            200: components["responses"]["BlockAnswer"];
        };
    };
    getBlockByTime: {
        parameters: {
            query?: {
                /**
                 * @description The newest block at or before the moment, or the oldest at or after it.
                 * @example after
                 */
                side?: "before" | "after";
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description The moment.
                 * @example 2025-01-01T00:00:00Z
                 */
                time: string;
            };
        };
        responses: {
            200: components["responses"]["BlockAnswer"];
        };
    };
    listBlockTransactions: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Number of the block.
                 * @example 699
                 */
                number: components["parameters"]["BlockNumberPath"];
            };
        };
        responses: {
            200: components["responses"]["TransactionPage"];
        };
    };
    listBlockLogs: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Number of the block.
                 * @example 699
                 */
                number: components["parameters"]["BlockNumberPath"];
            };
        };
        responses: {
            200: components["responses"]["LogPage"];
        };
    };
    listBlockTraces: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["TraceLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Number of the block.
                 * @example 699
                 */
                number: components["parameters"]["BlockNumberPath"];
            };
        };
        responses: {
            200: components["responses"]["TracePage"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["TransactionPage"];
        };
    };
    getTransaction: {
        parameters: {
            query?: {
                /** @description Whether the logs come along, and `logs_truncated` with them. They are rows of the price: more than a hundred, or more than 100 KB, cost as on a page. */
                include_logs?: boolean;
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
        };
        responses: {
            200: components["responses"]["TransactionDetailAnswer"];
        };
    };
    getTransactionProof: {
        parameters: {
            query?: {
                /** @description Place of a log in the block, as lists of logs have it: `log_place` is its place in the receipt then. */
                log_index?: number;
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
        };
        responses: {
            200: components["responses"]["TransactionProofAnswer"];
        };
    };
    listTransactionLogs: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
        };
        responses: {
            200: components["responses"]["LogPage"];
        };
    };
    listTransactionTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
        };
        responses: {
            200: components["responses"]["TransferPage"];
        };
    };
    listTransactionTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
        };
        responses: {
            200: components["responses"]["TradePage"];
        };
    };
    listTransactionTraces: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["TraceLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Hash of the transaction.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hash: components["parameters"]["TransactionHashPath"];
            };
        };
        responses: {
            200: components["responses"]["TracePage"];
        };
    };
    listLogs: {
        parameters: {
            query?: {
                /**
                 * @description Only of this contract. It or topic0 is required.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                address?: string;
                /** @description Only with this topic at place 0. */
                topic0?: string;
                /** @description Only with this topic at place 1. */
                topic1?: string;
                /** @description Only with this topic at place 2. */
                topic2?: string;
                /** @description Only with this topic at place 3. */
                topic3?: string;
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["LogPage"];
        };
    };
    listTransfers: {
        parameters: {
            query?: {
                /** @description Only of this standard. */
                standard?: components["parameters"]["Standard"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues. */
                exclude_zero?: components["parameters"]["ExcludeZero"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["TransferPage"];
        };
    };
    getAddress: {
        parameters: {
            query?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["AddressOverviewAnswer"];
        };
    };
    listAddressTransactions: {
        parameters: {
            query?: {
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["TransactionPage"];
        };
    };
    listAddressNativeTransfers: {
        parameters: {
            query?: {
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["NativeTransferPage"];
        };
    };
    listAddressWithdrawals: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["WithdrawalPage"];
        };
    };
    listAddressInternalTransfers: {
        parameters: {
            query?: {
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["InternalTransferPage"];
        };
    };
    listAddressActivity: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues. */
                exclude_zero?: components["parameters"]["ExcludeZero"];
                /**
                 * @description Leave out transfers and internal transfers of less, in whole coins or tokens by their decimals (`0.01`); those of tokens that say none are counted in raw units, and NFTs in pieces. A page ends as with `exclude_zero`.
                 * @example 0.01
                 */
                min_amount?: components["parameters"]["MinAmount"];
                /** @description With `false`, leave out rows that have a `spam_reason`; with `true`, all others. A page ends as with `exclude_zero`. */
                possible_spam?: components["parameters"]["PossibleSpam"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["ActivityPage"];
        };
    };
    listAddressApprovals: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["ApprovalPage"];
        };
    };
    listAddressTransfers: {
        parameters: {
            query?: {
                /** @description Only of this standard. */
                standard?: components["parameters"]["Standard"];
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Only of this token. */
                token?: components["parameters"]["TokenFilter"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues. */
                exclude_zero?: components["parameters"]["ExcludeZero"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["AddressTransferPage"];
        };
    };
    listAddressBalances: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description Begin with the native coin, as the token `0x0000000000000000000000000000000000000000` of 18 decimals, even if it is 0. Each row then has `as_of_block`: add up only rows that share it. A node says the native balance, at the block of the snapshot, or if none still has that state at `as_of_block` of `meta`; if none answers in two seconds it is null, and so is its block. */
                native?: components["parameters"]["Native"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["BalancePage"];
        };
    };
    listAddressBalanceValues: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description Begin with the native coin, as the token `0x0000000000000000000000000000000000000000` of 18 decimals, even if it is 0. Each row then has `as_of_block`: add up only rows that share it. A node says the native balance, at the block of the snapshot, or if none still has that state at `as_of_block` of `meta`; if none answers in two seconds it is null, and so is its block. */
                native?: components["parameters"]["Native"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["BalanceValuePage"];
        };
    };
    listBalanceHistory: {
        parameters: {
            query: {
                /**
                 * @description The token.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: string;
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["BalancePointPage"];
        };
    };
    listAddressNfts: {
        parameters: {
            query?: {
                /** @description Only of this standard. */
                standard?: components["parameters"]["NftStandard"];
                /** @description Only of this token. */
                token?: components["parameters"]["TokenFilter"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["NftHoldingPage"];
        };
    };
    listAddressTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["TradePage"];
        };
    };
    listAddressTraces: {
        parameters: {
            query?: {
                /** @description From (`out`) or to (`in`) the address. */
                direction?: components["parameters"]["Direction"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["TraceLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["TracePage"];
        };
    };
    listAddressStocks: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address, in any case.
                 * @example 0x70997970c51812dc3a010c7d01b50e0d17dc79c8
                 */
                address: components["parameters"]["AddressPath"];
            };
        };
        responses: {
            200: components["responses"]["StockHoldingPage"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Only of this standard. */
                standard?: components["parameters"]["Standard"];
                /** @description Only with this symbol, in any case. */
                symbol?: string;
                /** @description Tokens whose symbol, name or address begins with this, in any case: the very symbol first, then what most hold. One page of the best; a token is sure to be in it if it fits and fewer than 250 begin alike. */
                search?: string;
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["TokenPage"];
        };
    };
    getToken: {
        parameters: {
            query?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
        };
        responses: {
            200: components["responses"]["TokenAnswer"];
        };
    };
    listTokenHolders: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
        };
        responses: {
            200: components["responses"]["HolderPage"];
        };
    };
    listTokenTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues. */
                exclude_zero?: components["parameters"]["ExcludeZero"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
        };
        responses: {
            200: components["responses"]["TransferPage"];
        };
    };
    listTokenTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
        };
        responses: {
            200: components["responses"]["TradePage"];
        };
    };
    getTokenPrice: {
        parameters: {
            query?: {
                /** @description The newest price at or before this moment. Default: the finalized block. */
                at?: string;
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
        };
        responses: {
            200: components["responses"]["PriceAnswer"];
        };
    };
    listTokenCandles: {
        parameters: {
            query?: {
                /** @description Length of a candle. */
                interval?: components["parameters"]["Interval"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the token, in any case.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3
                 */
                token: components["parameters"]["TokenPath"];
            };
        };
        responses: {
            200: components["responses"]["CandlePage"];
        };
    };
    listPrices: {
        parameters: {
            query: {
                /**
                 * @description Up to 50 addresses, separated by commas.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3,0xe7f1725e7734ce288f8367e1bb143e90bb3f0512
                 */
                tokens: string;
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["PriceList"];
        };
    };
    getTokens: {
        parameters: {
            query: {
                /**
                 * @description Up to 100 addresses, separated by commas.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3,0x00000000000000000000000000000000000000ff
                 */
                addresses: string;
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["TokenBatch"];
        };
    };
    getTransactions: {
        parameters: {
            query: {
                /**
                 * @description Up to 100 hashes, separated by commas.
                 * @example 0xea49a1f16c729cea0fc70b323f93a8b9e180bc4d53983032b11289133aa3a812
                 */
                hashes: string;
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["TransactionBatch"];
        };
    };
    getPrices: {
        parameters: {
            query: {
                /**
                 * @description Up to 100 addresses, separated by commas.
                 * @example 0x5fbdb2315678afecb367f032d93f642f64180aa3,0x00000000000000000000000000000000000000ff
                 */
                tokens: string;
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["PriceBatch"];
        };
    };
    getNftCollection: {
        parameters: {
            query?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
            };
        };
        responses: {
            200: components["responses"]["NftCollectionAnswer"];
        };
    };
    listNftItems: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
            };
        };
        responses: {
            200: components["responses"]["NftItemPage"];
        };
    };
    getNftItem: {
        parameters: {
            query?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
                /**
                 * @description Id of the item.
                 * @example 21
                 */
                token_id: components["parameters"]["TokenIdPath"];
            };
        };
        responses: {
            200: components["responses"]["NftItemAnswer"];
        };
    };
    listNftItemOwners: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
                /**
                 * @description Id of the item.
                 * @example 21
                 */
                token_id: components["parameters"]["TokenIdPath"];
            };
        };
        responses: {
            200: components["responses"]["NftOwnerPage"];
        };
    };
    listNftItemTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues. */
                exclude_zero?: components["parameters"]["ExcludeZero"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
                /**
                 * @description Id of the item.
                 * @example 21
                 */
                token_id: components["parameters"]["TokenIdPath"];
            };
        };
        responses: {
            200: components["responses"]["TransferPage"];
        };
    };
    listNftOwners: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
            };
        };
        responses: {
            200: components["responses"]["NftOwnerPage"];
        };
    };
    listNftTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues. */
                exclude_zero?: components["parameters"]["ExcludeZero"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the collection, in any case.
                 * @example 0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9
                 */
                token: components["parameters"]["CollectionPath"];
            };
        };
        responses: {
            200: components["responses"]["TransferPage"];
        };
    };
    listPools: {
        parameters: {
            query?: {
                /** @description Only of this token. */
                token?: components["parameters"]["TokenFilter"];
                /** @description Only of this protocol. */
                protocol?: string;
                /** @description Only of the pair of this token and `token1`, in either order. */
                token0?: string;
                /** @description Only of the pair of this token and `token0`, in either order. */
                token1?: string;
                /** @description By pool id, or the most liquid first. Liquidity is current state: a pool whose liquidity changes between two pages may be missed or listed twice. */
                sort?: "pool_id" | "liquidity";
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["PoolPage"];
        };
    };
    getPool: {
        parameters: {
            query?: {
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Pool id.
                 * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
                 */
                pool: components["parameters"]["PoolPath"];
            };
        };
        responses: {
            200: components["responses"]["PoolAnswer"];
        };
    };
    listPoolTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Pool id.
                 * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
                 */
                pool: components["parameters"]["PoolPath"];
            };
        };
        responses: {
            200: components["responses"]["TradePage"];
        };
    };
    listPoolLiquidityEvents: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Pool id.
                 * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
                 */
                pool: components["parameters"]["PoolPath"];
            };
        };
        responses: {
            200: components["responses"]["LiquidityEventPage"];
        };
    };
    listPoolCandles: {
        parameters: {
            query?: {
                /** @description Length of a candle. */
                interval?: components["parameters"]["Interval"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Pool id.
                 * @example 0x25aaf240b93aa2ef8f8d9fa0ea076ced74e001f2
                 */
                pool: components["parameters"]["PoolPath"];
            };
        };
        responses: {
            200: components["responses"]["CandlePage"];
        };
    };
    listTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["TradePage"];
        };
    };
    listStocks: {
        parameters: {
            query?: {
                /** @description UTC day. Default: the newest day with figures. */
                day?: string;
                /** @description Every registered stock, those without a transfer on that day as well: their sums are 0, what is not known of them is null. */
                all?: boolean;
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["StockDayPage"];
        };
    };
    listCorporateActions: {
        parameters: {
            query?: {
                /** @description Only of this status. */
                status?: "pending" | "effective" | "superseded";
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
            };
        };
        responses: {
            200: components["responses"]["MultiplierPage"];
        };
    };
    getStock: {
        parameters: {
            query?: never;
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
        };
        responses: {
            200: components["responses"]["StockAnswer"];
        };
    };
    listStockDaily: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
        };
        responses: {
            200: components["responses"]["StockDayPage"];
        };
    };
    listStockMultipliers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
        };
        responses: {
            200: components["responses"]["MultiplierPage"];
        };
    };
    listStockHolders: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
        };
        responses: {
            200: components["responses"]["HolderPage"];
        };
    };
    listStockTransfers: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description Leave out transfers of nothing, which anybody can make in the name of an address. A page ends after 4,000 transfers read, however few it lists, and may be empty: `next_cursor` continues. */
                exclude_zero?: components["parameters"]["ExcludeZero"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
        };
        responses: {
            200: components["responses"]["TransferPage"];
        };
    };
    listStockTrades: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First block of the window. */
                from_block?: components["parameters"]["FromBlock"];
                /** @description Last block of the window. Default: the finalized block. */
                to_block?: components["parameters"]["ToBlock"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
                /** @description Cut a window that is too wide or too high; `coverage` is `partial` then. */
                clamp?: components["parameters"]["Clamp"];
                /** @description How far rows go: to `finalized_block`, or with `latest` to `as_of_block`. Each row has `finalized` then: a reorganisation may take back one that is not. */
                finality?: components["parameters"]["Finality"];
                /** @description `token` adds symbol and decimals beside each token of a row. */
                include?: components["parameters"]["Include"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
        };
        responses: {
            200: components["responses"]["TradePage"];
        };
    };
    listStockCandles: {
        parameters: {
            query?: {
                /** @description Length of a candle. */
                interval?: components["parameters"]["Interval"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["Limit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description The whole list as one file in the place of pages, without `limit`: lines of JSON, CSV, or Parquet. Its last line, or the metadata of a Parquet file, says whether it is complete; see the Data API page, Exports. */
                format?: components["parameters"]["Format"];
                /** @description With `format=csv` or `format=ndjson`: `none` leaves out the last line. Then nothing says whether the file is complete; see the Data API page, Exports. */
                trailer?: components["parameters"]["Trailer"];
                /** @description With `format=csv`: `raw` leaves texts as the chain has them. Otherwise one that a spreadsheet would take for a formula begins with an apostrophe. */
                csv?: components["parameters"]["Csv"];
                /** @description With `format`: most rows of the file, 1,000,000 without. It also bounds the price, which the header `X-CU-Max` states: rows of more than a kilobyte end the file sooner. */
                max_rows?: components["parameters"]["MaxRows"];
                /** @description By block, the newest first unless `asc`. */
                order?: components["parameters"]["Order"];
                /** @description First moment of the window, in the place of from_block: any instant of ISO 8601, or seconds since 1970. */
                from_time?: components["parameters"]["FromTime"];
                /** @description Last moment of the window, in the place of to_block: any instant of ISO 8601, or seconds since 1970. */
                to_time?: components["parameters"]["ToTime"];
            };
            path: {
                /** @description Name of the chain. */
                chain: components["parameters"]["ChainName"];
                /**
                 * @description Address of the tokenised stock, in any case.
                 * @example 0x8daf17a20c9dba35f005b6324f493785d239719d
                 */
                token: components["parameters"]["StockPath"];
            };
        };
        responses: {
            200: components["responses"]["CandlePage"];
        };
    };
    listAccountUsage: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["RecordLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description By hour, the newest first unless `asc`. */
                order?: components["parameters"]["HourOrder"];
                /** @description A moment of the first hour: any instant of ISO 8601, or seconds since 1970. Default: the first hour with usage. */
                from_time?: components["parameters"]["FromHour"];
                /** @description A moment of the last hour: any instant of ISO 8601, or seconds since 1970. Default: this hour. */
                to_time?: components["parameters"]["ToHour"];
            };
            path?: never;
        };
        responses: {
            200: components["responses"]["AccountHourPage"];
        };
    };
    listAccountSettlements: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["RecordLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /** @description By hour, the newest first unless `asc`. */
                order?: components["parameters"]["HourOrder"];
                /** @description A moment of the first hour: any instant of ISO 8601, or seconds since 1970. Default: the first hour with usage. */
                from_time?: components["parameters"]["FromHour"];
                /** @description A moment of the last hour: any instant of ISO 8601, or seconds since 1970. Default: this hour. */
                to_time?: components["parameters"]["ToHour"];
            };
            path?: never;
        };
        responses: {
            200: components["responses"]["SettlementPage"];
        };
    };
    listAccountLanes: {
        parameters: {
            query: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["RecordLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
                /**
                 * @description The hour in UTC.
                 * @example 2026-11-20T09
                 */
                hour: components["parameters"]["Hour"];
            };
            path?: never;
        };
        responses: {
            200: components["responses"]["LanePage"];
        };
    };
    listAccountCredits: {
        parameters: {
            query?: {
                /** @description Most rows of a page. */
                limit?: components["parameters"]["RecordLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
            };
            path?: never;
        };
        responses: {
            200: components["responses"]["CreditPage"];
        };
    };
    listSettlementLanes: {
        parameters: {
            query?: {
                /** @description Which of the settlements of the hour. */
                revision?: components["parameters"]["Revision"];
                /** @description Most rows of a page. */
                limit?: components["parameters"]["LeafLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
            };
            path: {
                /**
                 * @description The hour in UTC.
                 * @example 2026-11-20T09
                 */
                hour: components["parameters"]["SettledHour"];
            };
        };
        responses: {
            200: components["responses"]["LeafPage"];
        };
    };
    listAccountReceipts: {
        parameters: {
            query: {
                /**
                 * @description The hour in UTC.
                 * @example 2026-11-20T09
                 */
                hour: components["parameters"]["Hour"];
                /** @description Most lanes of a receipt. */
                limit?: components["parameters"]["ReceiptLimit"];
                /** @description `next_cursor` of the page before; all other parameters but `limit` must be the same. */
                cursor?: components["parameters"]["Cursor"];
            };
            path?: never;
        };
        responses: {
            200: components["responses"]["ReceiptPage"];
        };
    };
}
